export function waitsByTheClock(file: string, text: string): string[];
