export function whenStarterIsGone(act: () => void): () => void;
export function hasBackground(script: string): boolean;
