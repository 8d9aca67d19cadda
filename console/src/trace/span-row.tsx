import { memo } from 'react';
import { duration, oneLine } from '../ui/format';
import { Icon } from '../ui/icons';
import { KindSign } from './kind-sign';
import type { Node, Range } from './tree';

const ROW_PX = 26;
const INDENT_PX = 14;
/** Deeper spans are not pushed out of their column. */
const DEEPEST_INDENT = 12;

interface Props {
  node: Node;
  place: number;
  row: number;
  range: Range;
  isSelected: boolean;
  isFolded: boolean;
  isMatch: boolean;
  onSelect: (place: number) => void;
  onToggle: (place: number) => void;
}

export const SpanRow = memo(function SpanRow(props: Props) {
  const { node, place, row, range, isSelected, isFolded, isMatch, onSelect, onToggle } = props;
  const { span, kind, depth, below, failed } = node;
  const name = oneLine(span.name) || 'without a name';
  return (
    // Keys are handled by the tree, which has the focus.
    <div
      role="row"
      id={`span-${place}`}
      className="span-row"
      aria-level={depth + 1}
      aria-rowindex={row + 1}
      aria-selected={isSelected}
      aria-expanded={below > 0 ? !isFolded : undefined}
      style={{ transform: `translateY(${row * ROW_PX}px)` }}
      onClick={() => onSelect(place)}
    >
      <div role="gridcell" className="span-name" style={{ paddingLeft: Math.min(depth, DEEPEST_INDENT) * INDENT_PX }}>
        {below > 0 ? (
          <button
            className="fold"
            tabIndex={-1}
            aria-label={isFolded ? `Open ${name}` : `Fold ${name}`}
            onClick={(event) => {
              event.stopPropagation();
              onToggle(place);
            }}
          >
            <Icon name={isFolded ? 'right' : 'down'} />
          </button>
        ) : (
          <span className="fold" />
        )}
        <KindSign kind={kind} />
        <span dir="auto" className="ellipsis">
          {isMatch ? <mark>{name}</mark> : name}
        </span>
        {failed && <span className="bad">failed</span>}
        {isFolded && <span className="quiet-text">{`+${below}`}</span>}
      </div>
      <div role="gridcell" className="span-time">
        <Bar node={node} range={range} />
      </div>
      <div role="gridcell" className="number">
        {span.end_time === null ? 'running' : duration(span.duration_ms)}
      </div>
      <div role="gridcell" className="number quiet-text">
        {duration(node.own)}
      </div>
    </div>
  );
});

/** A span on the axis; nothing when it is outside. */
function Bar({ node, range: { from, to } }: { node: Node; range: Range }) {
  const share = (time: number) => Math.max(0, Math.min(1, (time - from) / (to - from || 1)));
  if (node.end < from || node.start > to) return null;
  const left = share(node.start);
  const width = Math.max(share(node.end) - left, 0.002);
  return (
    <span
      className={node.failed ? 'span-bar failed' : `span-bar ${node.kind}`}
      style={{ left: `${left * 100}%`, width: `${width * 100}%` }}
    />
  );
}
