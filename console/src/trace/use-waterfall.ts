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
  const [folded, setFolded] = useState<ReadonlySet<number>>(() => {
    const place = tree.placeOf.get(url.span);
    const first = foldedAtFirst(tree);
    return place === undefined ? first : unfoldedTo(tree, first, place);
  });
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

  const select = useCallback(
    (place: number, change: Partial<typeof DEFAULTS> = {}) => {
      setUrl({ span: tree.nodes[place]!.span.span_id, ...change }, { replace: true });
    },
    [tree, setUrl],
  );
  /** Selects a position and opens everything that hides it. */
  const reveal = (place: number, change: Partial<typeof DEFAULTS> = {}) => {
    setFolded((before) => unfoldedTo(tree, before, place));
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
    select,
    reveal,
    revealSlower,
  };
}

export type WaterfallState = ReturnType<typeof useWaterfall>;

/** The time that the axis shows. */
export function rangeOf(tree: Tree, zoom: Zoom, inView: number[]): Range {
  if (zoom === 'view') return timeOf(tree, inView);
  if (zoom === 'all') return timeOf(tree, []);
  return zoom;
}
