SELECT claimer_wake()
