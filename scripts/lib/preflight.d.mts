export function assertStartable(env: Record<string, string | undefined>, folder: string): Promise<void>;
