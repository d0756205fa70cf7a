"""Better trees from what is known of each arc: the best tree of a sentence, and repair of a parse."""
