from gui.immortal import keep_singletons

keep_singletons()  # before the first call into Qt
