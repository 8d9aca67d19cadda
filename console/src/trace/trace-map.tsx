import { type MouseEvent, useEffect, useRef, useState } from 'react';
import { type Kind, KIND_NAMES } from './kinds';
import { longestAt, type Range, type Tree } from './tree';

const HEIGHT_PX = 56;
/** A click within this distance of a line counts. */
const REACH_PX = 3;
/** Least height of a failure, so that it is visible among thousands of spans. */
const LEAST_FAILED_PX = 3;
const MAP_KINDS = [...KIND_NAMES, 'failed'] as const;

interface Props {
  tree: Tree;
  range: Range;
  selected: number;
  onSelect: (place: number) => void;
}

/**
 * All spans at once, from top to bottom in their order, with the visible part of the list marked. A click selects the
 * longest span there.
 */
export function TraceMap({ tree, range, selected, onSelect }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const probes = useRef<HTMLDivElement>(null);
  const [drawing, setDrawing] = useState(0);
  useRedraw(canvas, () => setDrawing((count) => count + 1));
  useEffect(() => draw(canvas.current!, tree, coloursIn(probes.current!)), [tree, drawing]);
  const share = (time: number) => Math.max(0, Math.min(1, (time - tree.start) / (tree.end - tree.start || 1)));
  const select = (event: MouseEvent<HTMLDivElement>) => {
    const { left, top, width, height } = event.currentTarget.getBoundingClientRect();
    const { length } = tree.nodes;
    const placeAt = (y: number) => Math.max(0, Math.min(length - 1, Math.floor((y / height) * length)));
    const timeAt = (x: number) => tree.start + (x / width) * (tree.end - tree.start);
    const [x, y] = [event.clientX - left, event.clientY - top];
    // Lines that are high enough are clicked one by one.
    const reach = height / length > 2 * REACH_PX ? 0 : REACH_PX;
    const places = { from: placeAt(y - reach), to: placeAt(y + reach) };
    const time = { from: timeAt(x - REACH_PX), to: timeAt(x + REACH_PX) };
    onSelect(longestAt(tree, places, time) ?? placeAt(y));
  };
  return (
    // The list below has everything here for the keyboard.
    <div className="map" aria-hidden="true" onClick={select}>
      <div className="map-place" style={{ top: `${(selected / Math.max(1, tree.nodes.length)) * 100}%` }} />
      <canvas ref={canvas} height={HEIGHT_PX} />
      <div
        className="map-range"
        style={{ left: `${share(range.from) * 100}%`, right: `${(1 - share(range.to)) * 100}%` }}
      />
      <div ref={probes} hidden>
        {MAP_KINDS.map((kind) => (
          <span key={kind} className={`probe ${kind}`} />
        ))}
      </div>
    </div>
  );
}

/** Redraws when the width or the theme of the page changes. */
function useRedraw(canvas: { current: HTMLCanvasElement | null }, redraw: () => void): void {
  const current = useRef(redraw);
  current.current = redraw;
  useEffect(() => {
    const again = () => current.current();
    const size = new ResizeObserver(again);
    size.observe(canvas.current!);
    const theme = new MutationObserver(again);
    theme.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    const system = window.matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', again);
    return () => {
      size.disconnect();
      theme.disconnect();
      system.removeEventListener('change', again);
    };
  }, [canvas]);
}

/** Colours of the theme. A canvas cannot read CSS variables, so they are read from elements that use them. */
function coloursIn(probes: HTMLElement): Map<Kind | 'failed', string> {
  return new Map(MAP_KINDS.map((kind, at) => [kind, getComputedStyle(probes.children[at]!).color]));
}

/** One path per colour: changing the colour is slower than drawing a rectangle. */
function draw(canvas: HTMLCanvasElement, { nodes, start, end }: Tree, colours: Map<Kind | 'failed', string>): void {
  const scale = window.devicePixelRatio;
  const width = canvas.clientWidth * scale;
  const height = HEIGHT_PX * scale;
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d')!;
  const paths = new Map([...colours.keys()].map((kind) => [kind, new Path2D()]));
  const line = Math.max(1, Math.min(4 * scale, height / nodes.length - 1));
  const failedLine = Math.max(line, LEAST_FAILED_PX * scale);
  nodes.forEach((node, place) => {
    const left = ((node.start - start) / (end - start || 1)) * width;
    const length = Math.max(scale, ((node.end - node.start) / (end - start || 1)) * width);
    const thick = node.failed ? failedLine : line;
    // The last lines end with the map.
    const top = Math.min((place / nodes.length) * height, height - thick);
    paths.get(node.failed ? 'failed' : node.kind)!.rect(left, top, length, thick);
  });
  // Failures come last, so that nothing covers them.
  for (const [kind, path] of paths) {
    context.fillStyle = colours.get(kind)!;
    context.fill(path);
  }
}
