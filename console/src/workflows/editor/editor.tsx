import '../workflows.css';
import './editor.css';
import { useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import type { ColumnTypeBody, WorkflowResponse } from '../../api/schema.gen';
import { Graph } from '../../graph/graph';
import { useColumnTypes } from '../../sheet/sheet-data';
import { Needs } from '../../shell/permissions';
import { Field, Form } from '../../ui/form';
import { Back, Failure, Waiting } from '../../ui/parts';
import { Choice } from '../../ui/search-field';
import { useTitle } from '../../ui/title';
import { useUrlState } from '../../ui/url-state';
import { DraftChanges, PublicationFields } from '../../versions/publish';
import { arrowsOf, boxesOf } from '../graph-parts';
import { workflowPath } from '../links';
import { useWorkflow } from '../use-workflow';
import { type Draft, freeName, IN_FORM, type Node, renamed, textOf } from './draft';
import type { Faults } from './faults';
import { InputsForm } from './inputs-form';
import { JsonView } from './json-view';
import { NodeForm } from './node-form';
import { NodeList, type Place } from './node-list';
import { usePublication } from './use-publication';
import { ValidFields } from './valid-fields';

/** `v` is the base version. */
const DEFAULTS = { v: '', view: '' };
const VIEWS = { '': 'Form', json: 'JSON' };

/** A new version of a workflow, or a new workflow, whose id is null. */
export default function WorkflowEditor({ id }: { id: number | null }) {
  return id === null ? <NewWorkflow /> : <NextVersion id={id} />;
}

function NewWorkflow() {
  useTitle('New workflow');
  return <WithTypes workflow={null} />;
}

function NextVersion({ id }: { id: number }) {
  const [{ v }] = useUrlState(DEFAULTS);
  const { data, error, refetch } = useWorkflow(id, v);
  useTitle(data ? `Edit ${data.workflow_name}` : 'Edit a workflow');
  // A later read that fails does not take the draft.
  if (data) return <WithTypes workflow={data} />;
  return error ? <Failure error={error} onRetry={() => void refetch()} /> : <Waiting on />;
}

function WithTypes({ workflow }: { workflow: WorkflowResponse | null }) {
  const { data, types, error, refetch } = useColumnTypes();
  if (data) return <Editor workflow={workflow} types={types} />;
  return error ? <Failure error={error} onRetry={() => void refetch()} /> : <Waiting on />;
}

interface EditorProps {
  workflow: WorkflowResponse | null;
  types: Map<string, ColumnTypeBody>;
}

function Editor({ workflow, types }: EditorProps) {
  const [{ view }, set] = useUrlState(DEFAULTS);
  const [isValid, setValid] = useState(true);
  const { before, draft, filled, setDraft, faults, publish } = usePublication(workflow, types, isValid);
  const [place, setPlace] = useState<Place>({ kind: 'inputs' });
  /** Replaces the step of the history: Back would go to the other view without a question, and discard invalid JSON. */
  const show = (next: string) => set({ view: next }, { replace: true });
  /** Does nothing while there is invalid JSON, which would be lost. */
  const open = (next: Place) => {
    if (!isValid) return;
    setPlace(next);
    if (view !== '' && next.kind !== 'publish') show('');
  };
  return (
    <>
      <header className="screen-head">
        <Heading workflow={workflow} />
        {isValid && <Choice label="Edit as" options={VIEWS} value={view} onChange={show} />}
        <button className="button primary" disabled={!isValid} onClick={() => open({ kind: 'publish' })}>
          Review and publish
        </button>
      </header>
      <div className="workflow-editor">
        <NodeList
          draft={draft}
          types={types}
          faults={faults}
          place={place}
          isLocked={!isValid}
          onPlace={open}
          onAdd={(type) => open({ kind: 'node', name: add(draft, type, setDraft) })}
        />
        <div className="workflow-main">
          <Needs permission={workflow ? 'WORKFLOW_EDIT' : 'WORKFLOW_CREATE'} to="publish a version" />
          <DrawnGraph draft={draft} faults={faults} place={place} onPlace={open} />
          {place.kind !== 'publish' && view === 'json' && (
            <JsonView draft={filled} onChange={setDraft} onValid={setValid} />
          )}
          {place.kind !== 'publish' && view !== 'json' && (
            <ValidFields onValid={setValid}>
              <OpenPlace {...{ draft, types, faults, place }} onChange={setDraft} onPlace={setPlace} />
            </ValidFields>
          )}
          {/* Hidden instead of removed, so that it keeps the typed text. */}
          <section className="workflow-form" aria-label="Publish" hidden={place.kind !== 'publish'}>
            <PublishForm {...{ workflow, before, faults, publish }} draft={filled} onPlace={open} />
          </section>
        </div>
      </div>
    </>
  );
}

function Heading({ workflow }: Pick<EditorProps, 'workflow'>) {
  return (
    <>
      <Back
        href={workflow ? workflowPath(workflow.workflow_id) : '/workflows'}
        title={workflow ? 'The workflow' : 'All workflows'}
      />
      <h1 dir="auto" className="ellipsis">
        {workflow ? `A new version of ${workflow.workflow_name}, from version ${workflow.version}` : 'New workflow'}
      </h1>
    </>
  );
}

interface PublishProps extends Pick<EditorProps, 'workflow'>, Omit<GraphProps, 'place'> {
  before: Draft;
  publish: ReturnType<typeof usePublication>['publish'];
}

function PublishForm({ workflow, before, draft, faults, publish, onPlace }: PublishProps) {
  const [, navigate] = useLocation();
  const latest = workflow?.workflow.latest_version_number ?? 0;
  return (
    <>
      <h2>Publish</h2>
      {workflow && latest > workflow.version && (
        <p className="warn">
          {`Version ${latest} is newer than the version that you began with. Its changes are not in this draft.`}
        </p>
      )}
      <OtherFaults faults={faults} draft={draft} onPlace={onPlace} />
      <Form
        submit={workflow ? 'Publish the version' : 'Create the workflow'}
        onSubmit={publish}
        onDone={(id) => navigate(workflowPath(id))}
      >
        {!workflow && <NamingFields />}
        <DraftChanges before={workflow ? textOf(before) : ''} after={textOf(draft)} />
        <PublicationFields kind="workflow" />
      </Form>
    </>
  );
}

function NamingFields() {
  return (
    <>
      <Field label="Name" isRequired>
        <input className="field" name="name" required maxLength={255} />
      </Field>
      <Field label="Tags" hint="Separated by commas.">
        <input className="field" name="tags" placeholder="support" />
      </Field>
    </>
  );
}

/** Adds a node without sources of this type, and returns its name. */
function add(draft: Draft, { type, title }: ColumnTypeBody, onChange: (draft: Draft) => void): string {
  const name = freeName(draft, title);
  const is_output_node = draft.nodes.length === 0;
  const node: Node = { name, node_type: type, configuration: {}, dependencies: [], is_output_node, [IN_FORM]: true };
  onChange({ ...draft, nodes: [...draft.nodes, node] });
  return name;
}

interface GraphProps {
  draft: Draft;
  faults: Faults;
  place: Place;
  onPlace: (place: Place) => void;
}

function DrawnGraph({ draft, faults, place, onPlace }: GraphProps) {
  const { titleOf } = useColumnTypes();
  const boxes = useMemo(
    () =>
      boxesOf(draft, titleOf).map((box) =>
        faults[box.key] ? { ...box, hint: 'does not fit', className: 'failed' } : box,
      ),
    [draft, faults, titleOf],
  );
  const arrows = useMemo(() => arrowsOf(draft), [draft]);
  const isNode = (name: string) => draft.nodes.some((node) => node.name === name);
  return (
    <div className="workflow-graph">
      <Graph
        label="Graph of the draft"
        boxes={boxes}
        arrows={arrows}
        chosen={place.kind === 'node' ? place.name : undefined}
        onSelect={(name) => onPlace(isNode(name) ? { kind: 'node', name } : { kind: 'inputs' })}
      />
    </div>
  );
}

interface OpenProps extends GraphProps {
  types: Map<string, ColumnTypeBody>;
  onChange: (draft: Draft) => void;
}

function OpenPlace({ draft, types, faults, place, onChange, onPlace }: OpenProps) {
  const rename = (from: string, to: string) => {
    onChange(renamed(draft, from, to, (type) => types.get(type)?.source_keys ?? []));
    if (place.kind === 'node') onPlace({ kind: 'node', name: to });
  };
  const node = place.kind === 'node' && draft.nodes.find(({ name }) => name === place.name);
  if (!node) return <InputsForm draft={draft} onChange={onChange} onRename={rename} />;
  const at = draft.nodes.indexOf(node);
  return (
    <NodeForm
      key={at}
      draft={draft}
      node={node}
      types={types}
      faults={faults[node.name] ?? []}
      onChange={onChange}
      onRename={rename}
      onRemoved={() => onPlace({ kind: 'inputs' })}
    />
  );
}

/** Errors of the server, with links to the nodes that they name. */
function OtherFaults({ faults, draft, onPlace }: Omit<GraphProps, 'place'>) {
  const names = draft.nodes.map(({ name }) => name).filter((name) => faults[name]);
  if (names.length === 0) return null;
  return (
    <ul className="lines" aria-label="What does not fit">
      {names.map((name) => (
        <li key={name} className="bad breaks">
          <button type="button" className="link" onClick={() => onPlace({ kind: 'node', name })}>
            {name}
          </button>{' '}
          {faults[name]!.join(' ')}
        </li>
      ))}
    </ul>
  );
}
