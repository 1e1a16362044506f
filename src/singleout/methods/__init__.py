"""The methods, one folder each and all alike: measure, result, function, charts."""
