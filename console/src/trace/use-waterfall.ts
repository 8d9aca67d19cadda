import { useCallback, useMemo, useState } from 'react';
import { useUrlState } from '../ui/url-state';
import { type Kind, readKinds } from './kinds';
import { foldedAtFirst, found, isLarge, listed, type Range, slowestFirst, timeOf, type Tree, unfoldedTo } from './tree';

const DEFAULTS = { span: '', kinds: '', find: '', panel: '', view: '' };

/** Range of the axis: the whole trace, the visible spans, or a chosen range. */
export type Zoom = 'all' | 'view' | Range;

/** State of the screen of a trace. The span, the kinds and the searched text are in the URL. */
export function useWaterfall(tree: Tree) {
  const [url, setUrl] = useUrlState(DEFAULTS);
  const { folded, setFolded } = useFolds(tree, url.span);
  const [zoom, setZoom] = useState<Zoom>(() => (isLarge(tree) ? 'view' : 'all'));
  const kinds = useMemo(() => readKinds(url.kinds), [url.kinds]);
  const places = useMemo(() => listed(tree, folded, kinds), [tree, folded, kinds]);
  const matches = useMemo(() => found(tree, url.find), [tree, url.find]);
  // The selected span may be hidden by a fold or a filter: the keys then continue from the position before it.
  const selected = tree.placeOf.get(url.span) ?? places[0] ?? 0;
  const row = useMemo(
    () =>
      Math.max(
        0,
        places.findLastIndex((place) => place <= selected),
      ),
    [places, selected],
  );

  const [shows, setShows] = useState(0);
  /** Scrolls to the selected span, as after a choice of the span that is selected already. */
  const showSelected = useCallback(() => setShows((count) => count + 1), []);

  const select = useCallback(
    (place: number, change: Partial<typeof DEFAULTS> = {}) => {
      showSelected();
      setUrl({ span: tree.nodes[place]!.span.span_id, ...change }, { replace: true });
    },
    [tree, setUrl, showSelected],
  );
  /** Selects a position and opens everything that hides it. */
  const reveal = (place: number, change: Partial<typeof DEFAULTS> = {}) => {
    setFolded(unfoldedTo(tree, folded, place));
    const hidden = kinds.size > 0 && !kinds.has(tree.nodes[place]!.kind);
    select(place, hidden ? { ...change, kinds: '' } : change);
  };
  /** Goes to the span with the most self time, and from there to the next one. */
  const slowest = useMemo(() => slowestFirst(tree), [tree]);
  const revealSlower = () => {
    // A span that nobody chose does not begin the search.
    const at = tree.placeOf.has(url.span) ? slowest.indexOf(selected) : -1;
    reveal(slowest[(at + 1) % slowest.length]!);
  };
  const toggleKind = (kind: Kind) => {
    const next = kinds.has(kind) ? [...kinds].filter((each) => each !== kind) : [...kinds, kind];
    setUrl({ kinds: next.join(',') });
  };
  return {
    url,
    setUrl,
    folded,
    setFolded,
    zoom,
    setZoom,
    kinds,
    toggleKind,
    places,
    matches,
    selected,
    row,
    shows,
    showSelected,
    select,
    reveal,
    revealSlower,
  };
}

/** Folds by the ids of their spans: a trace that grows moves the positions. */
function useFolds(tree: Tree, shown: string) {
  const [ids, setIds] = useState<ReadonlySet<string>>(() => {
    const place = tree.placeOf.get(shown);
    const first = foldedAtFirst(tree);
    return idsAt(tree, place === undefined ? first : unfoldedTo(tree, first, place));
  });
  const folded = useMemo<ReadonlySet<number>>(
    () => new Set([...ids].flatMap((id) => tree.placeOf.get(id) ?? [])),
    [tree, ids],
  );
  const setFolded = (places: ReadonlySet<number>) => setIds(idsAt(tree, places));
  return { folded, setFolded };
}

const idsAt = ({ nodes }: Tree, places: ReadonlySet<number>): Set<string> =>
  new Set([...places].map((place) => nodes[place]!.span.span_id));

export type WaterfallState = ReturnType<typeof useWaterfall>;

/** The time that the axis shows. */
export function rangeOf(tree: Tree, zoom: Zoom, inView: number[]): Range {
  if (zoom === 'view') return timeOf(tree, inView);
  if (zoom === 'all') return timeOf(tree, []);
  return zoom;
}
