export function readTwice(file: string, code: string): string[];
