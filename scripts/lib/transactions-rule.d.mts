export function usesOfOtherConnections(file: string, text: string): string[];
