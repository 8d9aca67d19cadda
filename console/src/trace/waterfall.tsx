import { useLayoutEffect, useRef } from 'react';
import { count } from '../ui/format';
import { useKeys } from '../ui/keys';
import { SearchField } from '../ui/search-field';
import { useRows } from '../ui/use-rows';
import { KIND_NAMES, KINDS } from './kinds';
import { SpanPanel } from './span-panel';
import { SpanRow } from './span-row';
import { TimeAxis } from './time-axis';
import { TraceMap } from './trace-map';
import { foldedFrom, nextPlace, timeOf, type Tree } from './tree';
import { rangeOf, useWaterfall, type WaterfallState } from './use-waterfall';

const ROW_PX = 26;

/** The spans of a trace in a tree and in time, with a map of all of them above. */
export function Waterfall({ tree, traceId }: { tree: Tree; traceId: string }) {
  const state = useWaterfall(tree);
  const { places, row, selected, folded, matches, zoom, url } = state;
  const { scroller, window: view, show } = useRows(places.length, ROW_PX);
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => show(row), [row, show]);
  const shown = places.slice(view.first, view.end);
  const range = rangeOf(tree, zoom, shown);
  useWaterfallKeys(tree, state, list);
  return (
    <div className="split">
      <div className="waterfall">
        <Tools tree={tree} state={state} />
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
                onToggle={(chosen) => state.setFolded((before) => toggled(before, chosen))}
              />
            ))}
          </div>
        </div>
      </div>
      {url.panel !== 'closed' && (
        <SpanPanel
          key={tree.nodes[selected]!.span.span_id}
          tree={tree}
          place={selected}
          traceId={traceId}
          onClose={() => state.setUrl({ panel: 'closed' }, { replace: true })}
        />
      )}
    </div>
  );
}

function toggled(places: ReadonlySet<number>, place: number): Set<number> {
  const next = new Set(places);
  if (!next.delete(place)) next.add(place);
  return next;
}

/** The kinds of spans that there are, each of which can be chosen. */
function Legend({ tree, state: { kinds, toggleKind } }: { tree: Tree; state: WaterfallState }) {
  const counts = new Map(KIND_NAMES.map((kind) => [kind, 0]));
  for (const { kind } of tree.nodes) counts.set(kind, counts.get(kind)! + 1);
  return KIND_NAMES.filter((kind) => counts.get(kind)! > 0).map((kind) => (
    <button
      key={kind}
      className="button legend"
      title={KINDS[kind].name}
      aria-pressed={kinds.has(kind)}
      onClick={() => toggleKind(kind)}
    >
      <span className={`letter ${kind}`} aria-hidden="true">
        {KINDS[kind].letter}
      </span>
      <span className="legend-name">{KINDS[kind].name}</span>
      <span className="quiet-text">{count(counts.get(kind)!)}</span>
    </button>
  ));
}

function Tools({ tree, state }: { tree: Tree; state: WaterfallState }) {
  const field = useRef<HTMLInputElement>(null);
  useKeys({ '/': () => field.current?.select() });
  const { url, setUrl, matches, selected, reveal, zoom, setZoom } = state;
  const failures = tree.nodes.filter(({ failed }) => failed).length;
  const goTo = (place: number | null) => place !== null && reveal(place);
  return (
    <div className="tools">
      <Legend tree={tree} state={state} />
      {failures > 0 && (
        <button className="button bad" title="Next failure  e" onClick={() => goTo(nextFailure(tree, selected))}>
          {`${count(failures)} failed`}
        </button>
      )}
      <SearchField
        label="Find spans"
        placeholder="Find (press /)"
        field={field}
        value={url.find}
        onChange={(find) => setUrl({ find }, { replace: true })}
        onKeyDown={(event) => {
          if (event.key === 'Enter') goTo(nextPlace(tree, selected, (_, place) => matches.has(place)));
        }}
      />
      {url.find.trim() !== '' && (
        <span role="status" className="quiet-text" title="Enter goes to the next one">
          {`${count(matches.size)} found`}
        </span>
      )}
      <label className="tick" title="v">
        <input
          type="checkbox"
          checked={zoom === 'view'}
          onChange={(event) => setZoom(event.target.checked ? 'view' : 'all')}
        />
        Time of spans in view
      </label>
      {typeof zoom === 'object' && (
        <button className="button" title="0" onClick={() => setZoom('all')}>
          Whole time
        </button>
      )}
    </div>
  );
}

const nextFailure = (tree: Tree, from: number) => nextPlace(tree, from, ({ failed }) => failed);

function useWaterfallKeys(tree: Tree, state: WaterfallState, list: { current: HTMLElement | null }): void {
  const { places, row, selected, folded, setFolded, select, reveal, setZoom, zoom, setUrl } = state;
  const at = places[row] ?? 0;
  const node = tree.nodes[at]!;
  const move = (to: number) => {
    const place = places[Math.max(0, Math.min(places.length - 1, to))];
    if (place !== undefined) select(place);
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
    f: () => setZoom(timeOf(tree, [at])),
    '0': () => setZoom('all'),
    v: () => setZoom(zoom === 'view' ? 'all' : 'view'),
    '+': () => setFolded(new Set()),
    '-': () => setFolded(foldedFrom(tree, 0)),
    Escape: () => setUrl({ panel: 'closed' }, { replace: true }),
  });
}
