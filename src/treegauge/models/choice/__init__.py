"""Choice: which head and relation would this word take here, against all others?"""
