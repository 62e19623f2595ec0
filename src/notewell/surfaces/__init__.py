"""What Notewell looks like from outside: MCP, REST, pages and the command line."""
