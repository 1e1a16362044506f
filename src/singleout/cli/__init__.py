"""The command line: every command is a public function, its result shown or written."""
