import { lazy, useRef } from 'react';
import { count } from '../ui/format';
import { useKeys } from '../ui/keys';
import { Choice, SearchField } from '../ui/search-field';
import { WhenLoaded } from '../ui/when-loaded';
import { KIND_NAMES, KINDS } from './kinds';
import { SpanNames } from './span-names';
import { SpanPanel } from './span-panel';
import { nextFailure, Timeline } from './timeline';
import { nextPlace, type Tree } from './tree';
import { useWaterfall, type WaterfallState } from './use-waterfall';

const SpanGraph = lazy(() => import('./span-graph'));

const OTHER_VIEWS = { names: 'By name', graph: 'Graph' };
const VIEWS = { '': 'In time', ...OTHER_VIEWS };

/** A trace in one of its views, with the chosen span at the side. */
export function Waterfall({ tree, traceId }: { tree: Tree; traceId: string }) {
  const state = useWaterfall(tree);
  const { selected, url } = state;
  const showInTime = (place: number) => state.reveal(place, { view: '', panel: '' });
  return (
    <div className="split">
      <div className="waterfall">
        <Tools tree={tree} state={state} />
        {url.view === 'names' && <SpanNames tree={tree} onSelect={showInTime} />}
        {url.view === 'graph' && (
          <WhenLoaded>
            <SpanGraph tree={tree} onSelect={showInTime} />
          </WhenLoaded>
        )}
        {!Object.hasOwn(OTHER_VIEWS, url.view) && <Timeline tree={tree} state={state} />}
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

/** The kinds of the spans, each of which can be chosen. */
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
      <Choice label="View" options={VIEWS} value={url.view} onChange={(view) => setUrl({ view })} />
      {!Object.hasOwn(OTHER_VIEWS, url.view) && <Zooms zoom={zoom} setZoom={setZoom} />}
    </div>
  );
}

/** Which time the axis shows. */
function Zooms({ zoom, setZoom }: Pick<WaterfallState, 'zoom' | 'setZoom'>) {
  return (
    <>
      <label className="tick" title="v">
        <input
          type="checkbox"
          checked={zoom === 'view'}
          onChange={(event) => setZoom(event.target.checked ? 'view' : 'all')}
        />
        Fit axis to visible spans
      </label>
      {typeof zoom === 'object' && (
        <button className="button" title="0" onClick={() => setZoom('all')}>
          Whole trace
        </button>
      )}
    </>
  );
}
