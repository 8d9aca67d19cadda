export function hasRedisServer(): boolean;
export function canInstallRedisServer(): boolean;
export function installRedisServer(folder: string): Promise<void>;
export function howToInstall(isAvailable?: (program: string) => boolean): string;
