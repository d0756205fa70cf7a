# Tells the processor that memory will be read soon; nothing where the compiler knows no such thing.

cdef extern from *:
    """
    #if defined(__GNUC__)
    #define treegauge_prefetch(place) __builtin_prefetch(place)
    #else
    #define treegauge_prefetch(place)
    #endif
    """
    void prefetch "treegauge_prefetch"(const void *place) noexcept nogil
