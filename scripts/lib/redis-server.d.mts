export function hasRedisServer(): boolean;
export function canInstallRedisServer(): boolean;
export function installRedisServer(): Promise<void>;
export function howToInstall(isAvailable?: (program: string) => boolean): string;
