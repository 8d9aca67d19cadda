import { graphlib, layout } from '@dagrejs/dagre';
import { useMemo } from 'react';
import { count, oneLine } from '../ui/format';
import { callsBetween, type NameCalls, type NameTotals, totalsByName } from './names';
import { spansOf } from './span-names';
import type { Tree } from './tree';

/** Names with the most own time; more of them are no picture any more. */
const MOST_NAMES = 80;
const BOX = { width: 176, height: 44 };
const MARGIN = 16;
const LONGEST_NAME = 22;

interface Props {
  tree: Tree;
  onSelect: (place: number) => void;
}

interface Box extends NameTotals {
  x: number;
  y: number;
}

interface Arrow extends NameCalls {
  points: { x: number; y: number }[];
}

/** Which names call which: agents, their tools and models, as boxes and arrows. A box leads to its slowest span. */
export default function SpanGraph({ tree, onSelect }: Props) {
  const { boxes, arrows, width, height, left } = useMemo(() => graphOf(tree), [tree]);
  return (
    <div className="span-graph" role="region" aria-label="Graph of spans" tabIndex={0}>
      {left > 0 && <p className="quiet-text">{`${count(left)} names with less own time are not shown.`}</p>}
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
        <defs>
          <marker id="call" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">
            <path d="M0 0 8 4 0 8z" />
          </marker>
        </defs>
        {arrows.map((arrow) => (
          <CallArrow key={`${arrow.from}\n${arrow.to}`} arrow={arrow} />
        ))}
        {boxes.map((box) => (
          <NameBox key={box.key} box={box} onSelect={() => onSelect(box.slowest)} />
        ))}
      </svg>
    </div>
  );
}

function NameBox({ box, onSelect }: { box: Box; onSelect: () => void }) {
  const { name, kind, failed, x, y } = box;
  const title = oneLine(name) || 'without a name';
  return (
    <g
      role="button"
      tabIndex={0}
      className={failed > 0 ? 'name-box failed' : `name-box ${kind}`}
      transform={`translate(${x - BOX.width / 2} ${y - BOX.height / 2})`}
      onClick={onSelect}
      onKeyDown={({ key }) => key === 'Enter' && onSelect()}
    >
      <rect {...BOX} rx="5" />
      <text x="10" y="18">
        {title.length > LONGEST_NAME ? `${title.slice(0, LONGEST_NAME)}…` : title}
      </text>
      <text x="10" y="34" className="quiet">
        {spansOf(box)}
      </text>
    </g>
  );
}

function CallArrow({ arrow: { points, count: calls } }: { arrow: Arrow }) {
  const middle = points[Math.floor(points.length / 2)]!;
  const line = points.map(({ x, y }, at) => `${at === 0 ? 'M' : 'L'}${x} ${y}`).join(' ');
  return (
    <g className="call-arrow">
      <path d={line} markerEnd="url(#call)" />
      {calls > 1 && (
        <text x={middle.x + 4} y={middle.y}>
          {count(calls)}×
        </text>
      )}
    </g>
  );
}

function graphOf(tree: Tree) {
  const all = totalsByName(tree);
  const names = all.slice(0, MOST_NAMES);
  const graph = new graphlib.Graph();
  graph.setGraph({ rankdir: 'LR', nodesep: 14, ranksep: 56, marginx: MARGIN, marginy: MARGIN });
  for (const { key } of names) graph.setNode(key, { ...BOX });
  const calls = callsBetween(tree).filter(({ from, to }) => graph.hasNode(from) && graph.hasNode(to) && from !== to);
  for (const { from, to } of calls) graph.setEdge(from, to, {});
  layout(graph);
  const boxes = names.map((name): Box => ({ ...name, ...placeOf(graph.node(name.key)) }));
  const arrows = calls.map((call): Arrow => ({ ...call, points: graph.edge(call.from, call.to).points ?? [] }));
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  return { boxes, arrows, width, height, left: all.length - names.length };
}

const placeOf = ({ x, y }: { x?: number; y?: number }) => ({ x: x ?? 0, y: y ?? 0 });
