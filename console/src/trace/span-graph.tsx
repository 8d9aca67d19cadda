import { useMemo } from 'react';
import { Graph } from '../graph/graph';
import { count } from '../ui/format';
import { callsBetween, totalsByName } from './names';
import { spansOf } from './span-names';
import type { Tree } from './tree';

/** Names with the most self time; more of them are no picture any more. */
const MOST_NAMES = 80;

interface Props {
  tree: Tree;
  onSelect: (place: number) => void;
}

/** Which names call which: agents, their tools and models, as boxes and arrows. A box leads to its slowest span. */
export default function SpanGraph({ tree, onSelect }: Props) {
  const { names, boxes, arrows, left } = useMemo(() => graphOf(tree), [tree]);
  return (
    <>
      {left > 0 && <p className="quiet-text">{`${count(left)} names with less self time are not shown.`}</p>}
      <Graph
        label="Graph of spans"
        boxes={boxes}
        arrows={arrows}
        onSelect={(chosen) => onSelect(names.find(({ key }) => key === chosen)!.slowest)}
      />
    </>
  );
}

function graphOf(tree: Tree) {
  const all = totalsByName(tree);
  const names = all.slice(0, MOST_NAMES);
  const boxes = names.map((each) => ({
    key: each.key,
    title: each.name,
    hint: spansOf(each),
    className: each.failed > 0 ? 'failed' : each.kind,
  }));
  const arrows = callsBetween(tree).map(({ from, to, count: calls }) => ({
    from,
    to,
    ...(calls > 1 && { label: `${count(calls)}×` }),
  }));
  return { names, boxes, arrows, left: all.length - names.length };
}
