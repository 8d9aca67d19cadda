export interface Window {
  first: number;
  /** After the last. */
  end: number;
}

/** The visible part of a scrolling element, in pixels. */
export interface View {
  top: number;
  height: number;
}

/** Extra rows beyond either edge, so that scrolling shows no gap. */
const MORE = 6;

/** Which rows of one height are in view. */
export function rowsInView(view: View, rowHeight: number, count: number): Window {
  const first = Math.max(0, Math.floor(view.top / rowHeight) - MORE);
  const end = Math.min(count, Math.ceil((view.top + view.height) / rowHeight) + MORE);
  return { first: Math.min(first, Math.max(0, end)), end: Math.max(0, end) };
}

/** Where to scroll so that a row is in view; null when it is. */
export function scrollToRow(view: View, rowHeight: number, row: number): number | null {
  const top = row * rowHeight;
  if (top < view.top) return top;
  if (top + rowHeight > view.top + view.height) return top + rowHeight - view.height;
  return null;
}
