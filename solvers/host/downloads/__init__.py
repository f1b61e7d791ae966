"""Downloads over HTTPS that can be cancelled and resumed, with checksums."""
