import { useState } from 'react';
import type { WorkflowConditionalBody, WorkflowConditionSide } from '../../api/schema.gen';
import { Options } from '../../ui/options';
import { parseExactly } from '../../ui/exact-json';
import type { Draft, Edge, Node } from './draft';

type Operator = WorkflowConditionalBody['operator'];

const OPERATORS: Record<Operator, string> = {
  '=': 'is',
  '!=': 'is not',
  '<': 'is less than',
  '>': 'is more than',
  '<=': 'is at most',
  '>=': 'is at least',
  in: 'is in',
  not_in: 'is not in',
  is_null: 'is empty',
  is_not_null: 'is not empty',
};
const isUnary = (operator: Operator): boolean => operator === 'is_null' || operator === 'is_not_null';

const valueOf = (name: string): WorkflowConditionSide => ({ type: 'source', source: { name } });

interface Props {
  draft: Draft;
  node: Node;
  onChange: (draft: Draft) => void;
}

/** Conditions under which a node runs, by what it reads. */
export function ConditionsForm({ draft, node, onChange }: Props) {
  const { edges } = draft;
  const own = edges.filter(({ target_node_name: target }) => target === node.name);
  const free = node.dependencies.filter((name) => !own.some(({ source_node_name: source }) => source === name));
  const set = (edge: Edge, changed: Edge | null) =>
    onChange({ ...draft, edges: edges.flatMap((each) => (each === edge ? (changed ?? []) : each)) });
  const add = (source: string) => {
    const first: WorkflowConditionalBody = { position: 0, operator: 'is_not_null', left_config: valueOf(source) };
    const edge = { source_node_name: source, target_node_name: node.name, is_and: true, conditionals: [first] };
    onChange({ ...draft, edges: [...edges, edge] });
  };
  return (
    <fieldset>
      <legend>Runs only when</legend>
      {own.map((edge) => (
        <EdgeForm
          key={edge.source_node_name}
          edge={edge}
          node={node}
          draft={draft}
          onChange={(next) => set(edge, next)}
        />
      ))}
      {free.length > 0 && (
        <select className="field" aria-label="Add conditions" value="" onChange={(event) => add(event.target.value)}>
          <Options
            pairs={[['', 'Add conditions…'], ...free.map((name) => [name, `After ${name}, only when…`] as const)]}
          />
        </select>
      )}
      {own.length === 0 && <p className="quiet-text">It always runs once what it reads is there.</p>}
    </fieldset>
  );
}

interface EdgeProps {
  edge: Edge;
  node: Node;
  draft: Draft;
  /** null removes it. */
  onChange: (edge: Edge | null) => void;
}

function EdgeForm({ edge, node, draft, onChange }: EdgeProps) {
  const { source_node_name: source, is_and: isAnd, conditionals } = edge;
  const names = [...new Set([...Object.keys(draft.required_input_variables), ...node.dependencies])];
  const set = (changed: WorkflowConditionalBody[]) =>
    onChange(
      changed.length === 0 ? null : { ...edge, conditionals: changed.map((each, position) => ({ ...each, position })) },
    );
  return (
    <div role="group" aria-label={`After ${source}`} className="workflow-conditions">
      <div className="actions">
        <span>
          After <bdi>{source}</bdi>, when
        </span>
        <select
          className="field"
          aria-label={`How many conditions after ${source}`}
          value={isAnd ? 'all' : 'any'}
          onChange={(event) => onChange({ ...edge, is_and: event.target.value === 'all' })}
        >
          <Options
            pairs={[
              ['all', 'all of these hold'],
              ['any', 'any of these holds'],
            ]}
          />
        </select>
      </div>
      {conditionals.map((condition, at) => (
        <ConditionForm
          // Conditions have no names, and keep their order.
          key={at}
          number={at + 1}
          condition={condition}
          names={names}
          onChange={(changed) => set(changed ? conditionals.with(at, changed) : conditionals.toSpliced(at, 1))}
        />
      ))}
      <div className="actions">
        <button
          type="button"
          className="button"
          onClick={() => set([...conditionals, { position: 0, operator: 'is_not_null', left_config: valueOf(source) }])}
        >
          Add a condition
        </button>
      </div>
    </div>
  );
}

interface ConditionProps {
  number: number;
  condition: WorkflowConditionalBody;
  names: string[];
  /** null removes it. */
  onChange: (condition: WorkflowConditionalBody | null) => void;
}

function ConditionForm({ number, condition, names, onChange }: ConditionProps) {
  const { operator, left_config: left, right_config: right } = condition;
  const choose = (next: Operator) =>
    onChange({
      ...condition,
      operator: next,
      right_config: isUnary(next) ? null : (right ?? { type: 'static_value', static_value: '' }),
    });
  return (
    <div className="workflow-condition" role="group" aria-label={`Condition ${number}`}>
      <Side
        label="Compared"
        side={left}
        names={names}
        onChange={(side) => onChange({ ...condition, left_config: side })}
      />
      <select
        className="field"
        aria-label="Comparison"
        value={operator}
        onChange={(event) => choose(event.target.value as Operator)}
      >
        <Options pairs={Object.entries(OPERATORS)} />
      </select>
      {!isUnary(operator) && (
        <Side
          label="With"
          side={right ?? { type: 'static_value', static_value: '' }}
          names={names}
          onChange={(side) => onChange({ ...condition, right_config: side })}
        />
      )}
      <button type="button" className="button" aria-label={`Remove condition ${number}`} onClick={() => onChange(null)}>
        Remove
      </button>
    </div>
  );
}

interface SideProps {
  label: string;
  side: WorkflowConditionSide;
  names: string[];
  onChange: (side: WorkflowConditionSide) => void;
}

/** Names begin with this, so that an input of the empty name is no fixed value. */
const SOURCE = 'source:';

/** An input, a node, or a fixed value, which is JSON or else a text. */
function Side({ label, side, names, onChange }: SideProps) {
  const chosen = side.type === 'source' ? `${SOURCE}${side.source.name}` : '';
  const offered = side.type === 'source' ? [...new Set([...names, side.source.name])] : names;
  return (
    <>
      <select
        className="field"
        aria-label={label}
        value={chosen}
        onChange={({ target: { value } }) =>
          onChange(value === '' ? { type: 'static_value', static_value: '' } : valueOf(value.slice(SOURCE.length)))
        }
      >
        <Options pairs={[['', 'the value'], ...offered.map((name) => [`${SOURCE}${name}`, name] as const)]} />
      </select>
      {side.type === 'static_value' && (
        <FixedValue
          label={`${label}: value`}
          value={side.static_value}
          onChange={(value) => onChange({ type: 'static_value', static_value: value as never })}
        />
      )}
    </>
  );
}

interface FixedProps {
  label: string;
  value: unknown;
  onChange: (value: unknown) => void;
}

/**
 * Keeps the typed text while it has the same value: 1.0 may become 1.05. A text that is refused stays too, as long as
 * the value before it does.
 */
function FixedValue({ label, value, onChange }: FixedProps) {
  const [typed, setTyped] = useState({ text: '', problem: '', of: '' });
  const isTyped = typed.of === JSON.stringify(value);
  const problem = isTyped ? typed.problem : '';
  const type = (text: string) => {
    const read = fixedValue(text);
    const isRefused = read instanceof RangeError;
    setTyped({ text, problem: isRefused ? read.message : '', of: JSON.stringify(isRefused ? value : read) });
    if (!isRefused) onChange(read);
  };
  return (
    <input
      ref={(input) => input?.setCustomValidity(problem)}
      className="field mono"
      aria-label={label}
      aria-invalid={problem !== ''}
      placeholder='5 or ["a", "b"]'
      value={isTyped ? typed.text : textFor(value)}
      onChange={({ target }) => type(target.value)}
    />
  );
}

/** Parses numbers, lists and the like as JSON. Any other text stays a text. An error for integers that would be rounded. */
function fixedValue(text: string): unknown {
  try {
    return parseExactly(text);
  } catch (error) {
    return error instanceof RangeError ? error : text;
  }
}

const textFor = (value: unknown): string =>
  typeof value === 'string' && fixedValue(value) === value ? value : JSON.stringify(value ?? null);
