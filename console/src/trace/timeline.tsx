import { useLayoutEffect, useRef } from 'react';
import { useKeys } from '../ui/keys';
import { useRows } from '../ui/use-rows';
import { SpanRow } from './span-row';
import { TimeAxis } from './time-axis';
import { TraceMap } from './trace-map';
import { foldedFrom, nextPlace, timeOf, type Tree } from './tree';
import { rangeOf, type WaterfallState } from './use-waterfall';

const ROW_PX = 26;

/** The spans of a trace in a tree and in time, with a map of all of them above. */
export function Timeline({ tree, state }: { tree: Tree; state: WaterfallState }) {
  const { places, row, selected, folded, matches, zoom } = state;
  const { scroller, window: view, show } = useRows(places.length, ROW_PX);
  const list = useRef<HTMLDivElement>(null);
  // A fold or a refresh moves the row of the selected span, but not what is being read.
  const current = useRef(row);
  current.current = row;
  const shownSpan = tree.nodes[selected]?.span.span_id;
  useLayoutEffect(() => show(current.current), [shownSpan, state.shows, state.kinds, show]);
  const shown = places.slice(view.first, view.end);
  const range = rangeOf(tree, zoom, shown);
  useTimelineKeys(tree, state, list);
  return (
    <>
      <TraceMap tree={tree} range={range} selected={selected} onSelect={state.reveal} />
      <TimeAxis range={range} origin={tree.start} />
      <div className="spans" ref={scroller}>
        <div
          ref={list}
          role="treegrid"
          tabIndex={0}
          aria-label="Spans"
          aria-rowcount={places.length}
          aria-activedescendant={`span-${places[row] ?? 0}`}
          style={{ height: places.length * ROW_PX }}
        >
          {shown.map((place, index) => (
            <SpanRow
              key={place}
              node={tree.nodes[place]!}
              place={place}
              row={view.first + index}
              range={range}
              isSelected={view.first + index === row}
              isFolded={folded.has(place)}
              isMatch={matches.has(place)}
              onSelect={(chosen) => state.select(chosen, { panel: '' })}
              onToggle={(chosen) => state.setFolded(toggled(folded, chosen))}
            />
          ))}
        </div>
      </div>
    </>
  );
}

function toggled(places: ReadonlySet<number>, place: number): Set<number> {
  const next = new Set(places);
  if (!next.delete(place)) next.add(place);
  return next;
}

/** The next failure, in the order of the tree. */
export const nextFailure = (tree: Tree, from: number) => nextPlace(tree, from, ({ failed }) => failed);

function useTimelineKeys(tree: Tree, state: WaterfallState, list: { current: HTMLElement | null }): void {
  const { places, row, selected, folded, setFolded, select, reveal, revealSlower, setZoom, zoom, setUrl } = state;
  const at = places[row] ?? 0;
  const node = tree.nodes[at]!;
  const move = (to: number) => {
    const place = places[Math.max(0, Math.min(places.length - 1, to))];
    if (place !== undefined) select(place);
  };
  const foldAll = (all: ReadonlySet<number>) => {
    setFolded(all);
    state.showSelected();
  };
  const page = () => Math.max(1, Math.floor((list.current?.parentElement?.clientHeight ?? 0) / ROW_PX) - 1);
  useKeys({
    ArrowDown: () => move(row + 1),
    ArrowUp: () => move(row - 1),
    j: () => move(row + 1),
    k: () => move(row - 1),
    PageDown: () => move(row + page()),
    PageUp: () => move(row - page()),
    Home: () => move(0),
    End: () => move(places.length - 1),
    ArrowRight: () => (folded.has(at) ? setFolded(toggled(folded, at)) : move(row + 1)),
    ArrowLeft: () => {
      if (node.below > 0 && !folded.has(at)) setFolded(toggled(folded, at));
      else if (node.parent >= 0) reveal(node.parent);
    },
    Enter: () => setUrl({ panel: '', span: node.span.span_id }, { replace: true }),
    e: () => {
      const place = nextFailure(tree, selected);
      if (place !== null) reveal(place);
    },
    n: revealSlower,
    f: () => setZoom(timeOf(tree, [at])),
    '0': () => setZoom('all'),
    v: () => setZoom(zoom === 'view' ? 'all' : 'view'),
    '+': () => foldAll(new Set()),
    '-': () => foldAll(foldedFrom(tree, 0)),
    Escape: () => setUrl({ panel: 'closed' }, { replace: true }),
  });
}
