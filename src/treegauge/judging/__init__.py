"""How well does a ranking put wrong arcs last?"""
