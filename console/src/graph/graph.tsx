import './graph.css';
import { useMemo } from 'react';
import { oneLine } from '../ui/format';
import { BOX, placeGraph, type Point } from './layout';

const LONGEST_TITLE = 22;

export interface GraphBox {
  key: string;
  title: string;
  /** In the second line of the box. */
  hint: string;
  /** The colour of the box. */
  className?: string;
}

export interface GraphArrow {
  from: string;
  to: string;
  /** At the middle of the arrow. */
  label?: string;
}

interface Props {
  label: string;
  boxes: readonly GraphBox[];
  arrows: readonly GraphArrow[];
  /** The key of the box that is shown elsewhere on the screen. */
  chosen?: string;
  onSelect: (key: string) => void;
}

/** Boxes and the arrows between them. A box is a button. */
export function Graph({ label, boxes, arrows, chosen, onSelect }: Props) {
  const placed = useMemo(() => placeGraph(boxes, arrows), [boxes, arrows]);
  const { width, height } = placed;
  return (
    <div className="graph" role="region" aria-label={label} tabIndex={0}>
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
        <defs>
          <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">
            <path d="M0 0 8 4 0 8z" />
          </marker>
        </defs>
        {placed.arrows.map((arrow) => (
          <Arrow key={`${arrow.from}\n${arrow.to}`} {...arrow} />
        ))}
        {placed.boxes.map((box) => (
          <Box key={box.key} box={box} isChosen={box.key === chosen} onSelect={() => onSelect(box.key)} />
        ))}
      </svg>
    </div>
  );
}

function Box({ box, isChosen, onSelect }: { box: GraphBox & Point; isChosen: boolean; onSelect: () => void }) {
  const { title, hint, className = '', x, y } = box;
  const shown = oneLine(title) || 'without a name';
  return (
    <g
      role="button"
      tabIndex={0}
      aria-pressed={isChosen}
      className={`graph-box ${className}`}
      transform={`translate(${x - BOX.width / 2} ${y - BOX.height / 2})`}
      onClick={onSelect}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        // Space would scroll the graph.
        event.preventDefault();
        onSelect();
      }}
    >
      <title>{title}</title>
      <rect {...BOX} rx="5" />
      <text x="10" y="18">
        {shown.length > LONGEST_TITLE ? `${shown.slice(0, LONGEST_TITLE)}…` : shown}
      </text>
      <text x="10" y="34" className="quiet">
        {hint}
      </text>
    </g>
  );
}

function Arrow({ points, label, x, y }: Point & { points: Point[]; label?: string }) {
  const line = points.map((point, at) => `${at === 0 ? 'M' : 'L'}${point.x} ${point.y}`).join(' ');
  return (
    <g className="graph-arrow">
      <path d={line} markerEnd="url(#arrow)" />
      {label && (
        <text x={x} y={y - 4} textAnchor="middle">
          {label}
        </text>
      )}
    </g>
  );
}
