"""With gold: how good is a parse, how far do annotators agree, how good is a ranking?"""
