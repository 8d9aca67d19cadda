import { type KeyboardEvent, type PointerEvent, useEffect, useState } from 'react';

const KEY = 'panel-width';
/** Per cent of the screen. */
const [LEAST, MOST, DEFAULT, STEP] = [25, 80, 38, 4];
/** Elements that hold panels. */
const SIDES = '.split, .sheet-body';

/** The edge of a panel, for dragging its width. The width is stored, for all panels. */
export function PanelEdge() {
  const [width, setWidth] = useState(() => within(Number(localStorage.getItem(KEY) ?? DEFAULT)));
  useEffect(() => {
    // Panels have widths of their own until somebody chooses one.
    if (width === DEFAULT && localStorage.getItem(KEY) === null) return;
    document.documentElement.style.setProperty('--panel-width', `${width}%`);
    localStorage.setItem(KEY, String(width));
  }, [width]);
  const move = (event: PointerEvent<HTMLDivElement>) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const split = event.currentTarget.closest(SIDES);
    if (!split) return;
    const { left, width: whole } = split.getBoundingClientRect();
    setWidth(within(((left + whole - event.clientX) / whole) * 100));
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowLeft: STEP, ArrowRight: -STEP }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    setWidth(within(width + step));
  };
  return (
    <div
      className="panel-edge"
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the panel"
      aria-valuemin={LEAST}
      aria-valuemax={MOST}
      aria-valuenow={Math.round(width)}
      tabIndex={0}
      onKeyDown={press}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={move}
      onDoubleClick={() => setWidth(DEFAULT)}
    />
  );
}

const within = (width: number): number => (Number.isFinite(width) ? Math.min(MOST, Math.max(LEAST, width)) : DEFAULT);
