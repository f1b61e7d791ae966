"""The commands, one a module: ``configure(parser)`` declares options, ``execute(arguments, console)`` does the work."""
