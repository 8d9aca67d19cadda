import type { ColumnTypeBody } from '../../api/schema.gen';
import type { Draft } from './draft';
import type { Faults } from './faults';
import { NodeTypes } from './node-types';

/** The part of a draft that is being edited. */
export type Place = { kind: 'inputs' } | { kind: 'publish' } | { kind: 'node'; name: string };

interface Props {
  draft: Draft;
  types: Map<string, ColumnTypeBody>;
  faults: Faults;
  place: Place;
  /** Nothing can be opened or added at present. */
  isLocked: boolean;
  onPlace: (place: Place) => void;
  onAdd: (type: ColumnTypeBody) => void;
}

/** The parts of a workflow: its inputs, its nodes in order, and the version's message. */
export function NodeList({ draft, types, faults, place, isLocked, onPlace, onAdd }: Props) {
  const isOpen = (name: string) => place.kind === 'node' && place.name === name;
  const inputs = Object.keys(draft.required_input_variables);
  return (
    <nav className="workflow-parts" aria-label="Parts of the workflow">
      <button
        type="button"
        className="button"
        aria-pressed={place.kind === 'inputs'}
        disabled={isLocked}
        onClick={() => onPlace({ kind: 'inputs' })}
      >
        Inputs <span className="quiet-text">{inputs.length}</span>
      </button>
      <h2>Nodes</h2>
      {draft.nodes.length === 0 && <p className="quiet-text">A node computes a value. Add the first one.</p>}
      <ol aria-label="Nodes">
        {draft.nodes.map(({ name, node_type: type, is_output_node: isOutput }, at) => (
          <li key={at}>
            <button
              type="button"
              className="button"
              aria-pressed={isOpen(name)}
              disabled={isLocked}
              onClick={() => onPlace({ kind: 'node', name })}
            >
              <bdi className="ellipsis">{name}</bdi>
              <span className={faults[name] ? 'bad' : 'quiet-text'}>
                {faults[name]
                  ? 'does not fit'
                  : [types.get(type)?.title ?? type, isOutput && 'output'].filter(Boolean).join(' · ')}
              </span>
            </button>
          </li>
        ))}
      </ol>
      <select
        className="field"
        aria-label="Add a node"
        disabled={isLocked}
        value=""
        onChange={(event) => {
          const type = types.get(event.target.value);
          if (type) onAdd(type);
        }}
      >
        <option value="">Add a node…</option>
        <NodeTypes types={types} />
      </select>
    </nav>
  );
}
