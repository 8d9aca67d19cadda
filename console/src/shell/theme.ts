const THEME = 'theme';
const ORDER = ['system', 'light', 'dark'] as const;
export type Theme = (typeof ORDER)[number];

export function readTheme(): Theme {
  return ORDER.find((theme) => theme === localStorage.getItem(THEME)) ?? 'system';
}

/** Applies the chosen theme, by default that of the system. */
export function applyTheme(): void {
  const theme = readTheme();
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export function nextTheme(): Theme {
  const next = ORDER[(ORDER.indexOf(readTheme()) + 1) % ORDER.length]!;
  localStorage.setItem(THEME, next);
  applyTheme();
  return next;
}
