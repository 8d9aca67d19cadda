import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { JsonObject, RunDetailBody, WorkflowResponse } from '../api/schema.gen';
import { JsonTree } from '../reading/json-tree';
import { Side, Sides } from '../reading/side';
import { useColumnTypes } from '../sheet/sheet-data';
import { type Fact, FactList, Section } from '../ui/facts';
import { Moment } from '../ui/moment';
import { Panel } from '../ui/panel';
import { guardOf, type NodeStates, STATE_WORDS } from './graph-parts';
import { took } from './versions';

interface RunProps {
  run: RunDetailBody;
  states: NodeStates | undefined;
  actions: ReactNode;
  onNode: (name: string) => void;
  onClose: () => void;
}

/** A run at the side: its inputs, the results of its nodes, and its outputs. */
export function RunPanel({ run, states = {}, actions, onNode, onClose }: RunProps) {
  const nodes = Object.entries(states);
  const outputs = nodes
    .filter(([, { is_output_node: isOutput, status }]) => isOutput && status === 'SUCCESS')
    .map(([name, { value }]) => [name, value] as const);
  const facts: Fact[] = [
    ['State', run.status],
    ['Version', `v${run.version_number}`],
    ['Started', <Moment key="at" at={run.created_at} />],
    ['Took', took(run.created_at, run.finished_at)],
  ];
  return (
    <Panel label="Run" title={`Run ${run.workflow_version_execution_id}`} actions={actions} onClose={onClose}>
      <FactList facts={facts} />
      {run.finished_at !== null && (
        <p>
          <Link className="link" href={`/traces/${run.trace_id}`}>
            Open its trace
          </Link>
        </p>
      )}
      <Sides values={[...Object.entries(run.input_variables), ...outputs]} />
      <section className="side-of-span" aria-label="Nodes">
        <h3>Nodes</h3>
        <ul className="lines">
          {nodes.map(([name, node]) => (
            <li key={name}>
              <button className="link" onClick={() => onNode(name)}>
                {name}
              </button>{' '}
              <State node={node} />
            </li>
          ))}
        </ul>
      </section>
      {Object.keys(run.metadata).length > 0 && <Section title="Metadata" values={run.metadata} open />}
    </Panel>
  );
}

function State({ node: { status, error_message: message } }: { node: NodeStates[string] }) {
  return (
    <span className={status === 'FAILED' ? 'bad' : 'quiet-text'}>
      {STATE_WORDS[status]}
      {message !== null && `: ${message}`}
    </span>
  );
}

interface NodeProps {
  workflow: WorkflowResponse;
  name: string;
  /** Node states of the run that is shown; undefined without a run. */
  states: NodeStates | undefined;
  inputs: JsonObject | undefined;
  onClose: () => void;
}

/** A node or an input at the side: its definition, and its inputs and output in the run that is shown. */
export function NodePanel({ workflow, name, states, inputs, onClose }: NodeProps) {
  const { titleOf } = useColumnTypes();
  const node = workflow.nodes.find((each) => each.name === name);
  const type = workflow.required_input_variables[name];
  if (!node) {
    return (
      <Panel label="Node" title={name} onClose={onClose}>
        <p>{type === undefined ? 'This version has no such node.' : `An input of the type ${type}.`}</p>
        {inputs && Object.hasOwn(inputs, name) && <Side title="Value" value={inputs[name]} />}
      </Panel>
    );
  }
  const state = states?.[name];
  const guards = workflow.edges.filter(({ target_node_name: target }) => target === name);
  const valueFor = (from: string) => (inputs && Object.hasOwn(inputs, from) ? inputs[from] : states?.[from]?.value);
  const read = node.dependencies.map((from) => [from, valueFor(from)] as const);
  const written = state?.status === 'SUCCESS' ? [['output', state.value] as const] : [];
  const facts: Fact[] = [
    ['Type', titleOf(node.node_type)],
    ['Output', node.is_output_node ? 'yes' : 'no'],
    ['Reads', node.dependencies.join(', ') || 'nothing'],
    ...(state ? [['State', <State key="state" node={state} />] as Fact] : []),
  ];
  return (
    <Panel label="Node" title={name} onClose={onClose}>
      <FactList facts={facts} />
      {guards.map((edge) => (
        <p key={edge.id} dir="auto">
          {`After ${edge.source_node_name}, only when `}
          <code className="breaks">{guardOf(edge)}</code>
        </p>
      ))}
      {states && <Sides values={[...read, ...written]} />}
      <Configuration values={node.configuration} />
    </Panel>
  );
}

/** Shows code as text, and all other values as a tree. */
function Configuration({ values }: { values: JsonObject }) {
  const { code, ...others } = values;
  return (
    <section className="side-of-span" aria-label="Configuration">
      <h3>Configuration</h3>
      <JsonTree value={typeof code === 'string' ? others : values} open={2} />
      {typeof code === 'string' && <pre className="box">{code}</pre>}
    </section>
  );
}
