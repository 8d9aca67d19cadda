import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react';
import { barAt, barPaths, HIGHEST, type TimeBar } from './bars';
import { count, period } from './format';

interface Props {
  /** The name of the chart with its total. Screen readers read it before the bars. */
  label: string;
  bars: readonly TimeBar[];
  /** Describes a bar; its time is added. */
  describe: (bar: TimeBar) => string;
  /** Formats the value of the highest bar; by default a number. */
  format?: (value: number) => string;
  /** Called with the time of a clicked bar, or of several after dragging over them. */
  onPick?: (from: string, to: string) => void;
}

/**
 * Bars over time, with bad parts in red. For screen readers it is a slider: arrow keys move between bars, each of which
 * is described in words, and Enter chooses its time.
 */
export function TimeChart({ label, bars, describe, format = count, onPick }: Props) {
  const [active, setActive] = useState<number | null>(null);
  /** Where dragging began. */
  const anchor = useRef<number | null>(null);
  const picture = useRef<SVGSVGElement>(null);
  if (bars.length === 0) return null;
  const at = Math.min(active ?? bars.length - 1, bars.length - 1);
  const [first, last] = [Math.min(anchor.current ?? at, at), Math.max(anchor.current ?? at, at)];
  const text = textOf(bars, { first, last, describe });
  const pick = () => onPick?.(bars[first]!.from, bars[last]!.to);
  const barBelow = ({ clientX }: PointerEvent) => {
    const { left, width } = picture.current!.getBoundingClientRect();
    return barAt((clientX - left) / width, bars.length);
  };
  const leave = () => {
    anchor.current = null;
    setActive(null);
  };
  const paths = barPaths(bars);
  return (
    <figure className={onPick ? 'chart pickable' : 'chart'}>
      <svg
        ref={picture}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={bars.length - 1}
        aria-valuenow={at}
        aria-valuetext={text}
        viewBox={`0 0 ${bars.length} ${HIGHEST}`}
        preserveAspectRatio="none"
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          const bar = barBelow(event);
          anchor.current = onPick ? bar : null;
          setActive(bar);
        }}
        onPointerMove={(event) => setActive(barBelow(event))}
        onPointerUp={() => {
          pick();
          leave();
        }}
        onPointerLeave={leave}
        onPointerCancel={leave}
        onFocus={() => setActive(at)}
        onBlur={leave}
        onKeyDown={(event) => onKey(event, { at, last: bars.length - 1, onMove: setActive, onEnter: pick })}
      >
        {active !== null && <rect className="chosen" x={first} width={last - first + 1} height={HIGHEST} />}
        <path className="rest" d={paths.rest} />
        <path className="bad" d={paths.bad} />
      </svg>
      <figcaption>
        <span>{period(bars[0]!.from, bars[0]!.from)}</span>
        <strong>{active === null ? `${label} · highest bar ${format(highestOf(bars))}` : text}</strong>
        <span>{period(bars.at(-1)!.to, bars.at(-1)!.to)}</span>
      </figcaption>
    </figure>
  );
}

/** The highest value, shown in place of an axis. */
const highestOf = (bars: readonly TimeBar[]) => Math.max(...bars.map(({ value }) => value));

interface Chosen extends Pick<Props, 'describe'> {
  first: number;
  last: number;
}

/** Describes several consecutive bars together. */
function textOf(bars: readonly TimeBar[], { first, last, describe }: Chosen): string {
  const { from } = bars[first]!;
  const { to } = bars[last]!;
  const sum = { from, to, value: 0, bad: 0 };
  for (const { value, bad } of bars.slice(first, last + 1)) {
    sum.value += value;
    sum.bad += bad;
  }
  return `${period(from, to)}: ${describe(sum)}`;
}

interface Moves {
  at: number;
  last: number;
  onMove: (to: number) => void;
  onEnter: () => void;
}

function onKey(event: KeyboardEvent, { at, last, onMove, onEnter }: Moves): void {
  const places: Record<string, number> = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last };
  const place = places[event.key];
  if (place !== undefined) onMove(Math.max(0, Math.min(last, place)));
  else if (event.key === 'Enter') onEnter();
  else return;
  event.preventDefault();
}
