"""Which head and which relation would a word take here, against all others in its sentence?"""
