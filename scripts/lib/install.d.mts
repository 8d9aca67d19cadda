interface Wanted {
  /** Also what only tests and checks need. */
  tools: boolean;
}

export function isInstalled(root: string, wanted: Wanted): boolean;
export function install(root: string, wanted: Wanted): Promise<void>;
