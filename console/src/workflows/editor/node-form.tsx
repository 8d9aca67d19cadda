import { useEffect, useState } from 'react';
import type { ColumnTypeBody } from '../../api/schema.gen';
import { ConfigForm, useConfig } from '../../sheet/config-form';
import { Field } from '../../ui/form';
import type { Values } from '../../ui/schema-fields';
import { ConditionsForm } from './conditions-form';
import { configured, type Draft, type Node, readableBy, sourcesIn, without } from './draft';
import { NameField } from './name-field';
import { NodeTypes } from './node-types';

interface Props {
  draft: Draft;
  node: Node;
  types: Map<string, ColumnTypeBody>;
  /** Errors of the server about the node. */
  faults: string[];
  onChange: (draft: Draft) => void;
  onRename: (from: string, to: string) => void;
  onRemoved: () => void;
}

/** One node: its name, its type and settings, its sources and its conditions. */
export function NodeForm({ draft, node, types, faults, onChange, onRename, onRemoved }: Props) {
  const type = types.get(node.node_type);
  const set = (changed: Node) =>
    onChange({ ...draft, nodes: draft.nodes.map((each) => (each.name === node.name ? changed : each)) });
  const names = [...Object.keys(draft.required_input_variables), ...draft.nodes.map(({ name }) => name)];
  return (
    <section aria-label={`Node ${node.name}`} className="workflow-form">
      <header className="actions">
        <h2 dir="auto">{node.name}</h2>
        <span className="spacer" />
        <button
          type="button"
          className="button quiet bad"
          onClick={() => {
            onRemoved();
            onChange(without(draft, node.name));
          }}
        >
          Delete the node
        </button>
      </header>
      {faults.map((fault) => (
        <p key={fault} role="alert" className="bad breaks">
          {fault}
        </p>
      ))}
      <NameField
        label="Name"
        hint="Code that reads the node by its name has to be changed with it."
        value={node.name}
        isTaken={(wanted) => names.includes(wanted)}
        onRename={(to) => onRename(node.name, to)}
      />
      <Field label="Kind" hint={type?.description}>
        <select
          className="field"
          value={node.node_type}
          onChange={(event) =>
            set({ ...configured(node, {}, type?.source_keys ?? []), node_type: event.target.value, configuration: {} })
          }
        >
          {!type && <option value={node.node_type}>{node.node_type}</option>}
          <NodeTypes types={types} />
        </select>
      </Field>
      <label className="tick">
        <input
          type="checkbox"
          checked={node.is_output_node}
          onChange={({ target }) => set({ ...node, is_output_node: target.checked })}
        />
        Its value is a result of the workflow
      </label>
      <Reads draft={draft} node={node} type={type} onChange={set} />
      {type && <Configuration key={node.node_type} draft={draft} node={node} type={type} onChange={set} />}
      <ConditionsForm draft={draft} node={node} onChange={onChange} />
    </section>
  );
}

interface PartProps {
  draft: Draft;
  node: Node;
  type: ColumnTypeBody | undefined;
  onChange: (node: Node) => void;
}

/** Inputs and earlier nodes that it can read. Those in its settings are always read. */
function Reads({ draft, node, type, onChange }: PartProps) {
  const named = sourcesIn(node.configuration, type?.source_keys ?? []);
  const offered = [...new Set([...readableBy(draft, node.name), ...node.dependencies])];
  const toggle = (name: string) => {
    const { dependencies: given } = node;
    onChange({
      ...node,
      dependencies: given.includes(name) ? given.filter((each) => each !== name) : [...given, name],
    });
  };
  return (
    <fieldset>
      <legend>Reads</legend>
      {offered.length === 0 && <p className="quiet-text">There is nothing before it.</p>}
      {offered.map((name) => (
        <label key={name} className="tick">
          <input
            type="checkbox"
            checked={node.dependencies.includes(name)}
            disabled={named.includes(name) && node.dependencies.includes(name)}
            onChange={() => toggle(name)}
          />{' '}
          <bdi>{name}</bdi>
        </label>
      ))}
    </fieldset>
  );
}

function Configuration({ draft, node, type, onChange }: PartProps & { type: ColumnTypeBody }) {
  const [isTouched, setTouched] = useState(false);
  const columns = readableBy(draft, node.name).map((name) => ({ id: name, title: name }));
  const { names, mapped } = useConfig(type, node.configuration, columns);
  const set = (values: Values) => onChange(configured(node, values, type.source_keys));
  const text = JSON.stringify(mapped);
  useEffect(() => {
    // Variables are mapped by name as they become known, but not in an unchanged node.
    if (isTouched && text !== JSON.stringify(node.configuration)) set(JSON.parse(text) as Values);
    // oxlint-disable-next-line exhaustive-deps -- only other mappings are taken over
  }, [text, isTouched]);
  return (
    <ConfigForm
      type={type}
      columns={columns}
      values={node.configuration}
      names={names}
      onChange={(values) => {
        setTouched(true);
        set(values);
      }}
    />
  );
}
