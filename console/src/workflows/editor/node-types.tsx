import type { ColumnTypeBody } from '../../api/schema.gen';
import { GROUPS } from '../../sheet/column-list';
import { Options } from '../../ui/options';

/** The kinds of nodes as options of a select, by what they are for. */
export function NodeTypes({ types }: { types: Map<string, ColumnTypeBody> }) {
  const offered = [...types.values()].filter(({ computed, creatable }) => computed && creatable);
  return Object.entries(GROUPS).map(([group, title]) => {
    const members = offered.filter((type) => type.group === group);
    if (members.length === 0) return null;
    const sorted = members.toSorted((a, b) => a.title.localeCompare(b.title));
    return (
      <optgroup key={group} label={title}>
        <Options pairs={sorted.map(({ type, title: name }) => [type, name])} />
      </optgroup>
    );
  });
}
