export function waitsByTheClock(file: string, text: string): string[];
export function endsTooSoon(file: string, text: string): string[];
