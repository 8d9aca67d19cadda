import './workflows.css';
import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import { api } from '../api/client';
import { useRefresh } from '../api/lists';
import type { RunDetailBody, WorkflowResponse } from '../api/schema.gen';
import { Graph } from '../graph/graph';
import { GuardedButton, useMay } from '../shell/permissions';
import { useColumnTypes } from '../sheet/sheet-data';
import { FormDialog } from '../ui/form';
import { useKeys } from '../ui/keys';
import { Back, Failure, Waiting } from '../ui/parts';
import { useTitle } from '../ui/title';
import { useUrlState } from '../ui/url-state';
import { OpenChanges } from '../versions/open-changes';
import { arrowsOf, boxesOf, type NodeStates } from './graph-parts';
import { workflowPath } from './links';
import { NodePanel, RunPanel } from './panels';
import { StartRun } from './start-run';
import { useNodeStates, useRun, useRuns, useVersions, useWorkflow } from './use-workflow';
import { Runs, Versions } from './versions';
import { DeleteWorkflow, RenameWorkflow, WorkflowLabels } from './workflow-dialogs';

/** `v` is a version, `run` the id of a run, `node` the name of a node or an input. */
const DEFAULTS = { v: '', run: '', node: '' };

type State = typeof DEFAULTS;
type SetState = (change: Partial<State>, how?: { replace: boolean }) => void;
type Open = 'run' | 'again' | 'cancel' | 'labels' | 'rename' | 'delete' | null;

/** The run that is shown, and the version of it or the one that the URL names. */
function useShown(id: number, { run: runId, v }: State) {
  const run = useRun(runId);
  const states = useNodeStates(runId);
  const ran = run.data?.run;
  const version = useWorkflow(id, ran ? String(ran.version_number) : v);
  return {
    ran,
    states: states.data,
    workflow: version.data,
    error: version.error ?? run.error ?? states.error,
    isFetching: version.isFetching || run.isFetching,
    retry: () => void Promise.all([version, run, states].map(({ refetch }) => refetch())),
  };
}

/** One workflow: the graph of a version, its versions and its runs. With a run the graph shows the states of its nodes. */
export default function Workflow({ id }: { id: number }) {
  const [state, set] = useUrlState(DEFAULTS);
  const [open, setOpen] = useState<Open>(null);
  const shown = useShown(id, state);
  const { workflow, ran, states, error } = shown;
  const name = workflow?.workflow_name ?? `Workflow ${id}`;
  useTitle(name);
  useKeys({ Escape: () => set(state.node === '' ? { run: '' } : { node: '' }, { replace: true }) });
  return (
    <>
      <header className="screen-head">
        <Back href="/workflows" title="All workflows" />
        <h1 dir="auto" className="ellipsis" title={name}>
          {name}
        </h1>
        <button className="button primary" disabled={!workflow} onClick={() => setOpen('run')}>
          Run with inputs
        </button>
      </header>
      <Waiting on={shown.isFetching} />
      <div className="split">
        <div className="screen-body">
          {error && <Failure error={error} onRetry={shown.retry} />}
          {workflow && <Body workflow={workflow} states={states} state={state} set={set} onOpen={setOpen} />}
        </div>
        {workflow && <AtSide workflow={workflow} run={ran} states={states} state={state} set={set} onOpen={setOpen} />}
      </div>
      {workflow && <OpenDialog open={open} workflow={workflow} run={ran} onClose={() => setOpen(null)} set={set} />}
    </>
  );
}

interface ShownProps {
  workflow: WorkflowResponse;
  states: NodeStates | undefined;
  state: State;
  set: SetState;
}

function Body({ workflow, states, state, set, onOpen }: ShownProps & { onOpen: (open: Open) => void }) {
  const id = workflow.workflow_id;
  const versions = useVersions(id);
  const runs = useRuns(id);
  return (
    <>
      <Version
        workflow={workflow}
        run={state.run}
        states={states}
        node={state.node}
        onNode={(node) => set({ node }, { replace: true })}
        onOpen={onOpen}
      />
      <OpenChanges kind="workflow" id={String(id)} />
      <Runs
        list={runs}
        shown={state.run}
        onShow={(each) => set({ run: String(each.id), v: String(each.version), node: '' })}
      />
      <Versions list={versions} shown={workflow.version} onShow={(v) => set({ v: String(v), run: '', node: '' })} />
    </>
  );
}

type SideProps = ShownProps & { run: RunDetailBody | undefined; onOpen: (open: Open) => void };

/** A node where one is chosen, or else the run that is shown. */
function AtSide({ workflow, run, states, state, set, onOpen }: SideProps) {
  const onNode = (node: string) => set({ node }, { replace: true });
  if (state.node !== '') {
    return (
      <NodePanel
        workflow={workflow}
        name={state.node}
        states={states}
        inputs={run?.input_variables}
        onClose={() => onNode('')}
      />
    );
  }
  if (!run) return null;
  return (
    <RunPanel
      run={run}
      states={states}
      onNode={onNode}
      onClose={() => set({ run: '' }, { replace: true })}
      actions={
        <>
          <button className="button" onClick={() => onOpen('again')}>
            Run again
          </button>
          {run.status === 'running' && (
            <button className="button" onClick={() => onOpen('cancel')}>
              Cancel the run
            </button>
          )}
        </>
      }
    />
  );
}

interface DialogProps {
  open: Open;
  workflow: WorkflowResponse;
  run: RunDetailBody | undefined;
  onClose: () => void;
  set: SetState;
}

function OpenDialog({ open, workflow, run, onClose, set }: DialogProps) {
  if (open === null) return null;
  if (open === 'labels') return <WorkflowLabels workflow={workflow} onClose={onClose} />;
  if (open === 'rename') return <RenameWorkflow workflow={workflow} onClose={onClose} />;
  if (open === 'delete') return <DeleteWorkflow workflow={workflow} onClose={onClose} />;
  if (open === 'cancel') return run ? <CancelRun id={run.workflow_version_execution_id} onClose={onClose} /> : null;
  return (
    <StartRun
      workflow={workflow}
      inputs={open === 'again' && run ? run.input_variables : {}}
      onClose={onClose}
      onStarted={(started) => {
        onClose();
        set({ run: String(started), v: String(workflow.version), node: '' });
      }}
    />
  );
}

interface VersionProps {
  workflow: WorkflowResponse;
  /** The id of the run that is shown; empty for none. */
  run: string;
  states: NodeStates | undefined;
  node: string;
  onNode: (name: string) => void;
  onOpen: (open: Open) => void;
}

function Version({ workflow, run, states, node, onNode, onOpen }: VersionProps) {
  const { titleOf } = useColumnTypes();
  const boxes = useMemo(() => boxesOf(workflow, titleOf, states), [workflow, titleOf, states]);
  const arrows = useMemo(() => arrowsOf(workflow), [workflow]);
  return (
    <section className="version">
      <header>
        <h2>{`Version ${workflow.version}${run === '' ? '' : `, run ${run}`}`}</h2>
        {workflow.release_labels.map((label) => (
          <span key={label} className="badge">
            {label}
          </span>
        ))}
        <Actions workflow={workflow} onOpen={onOpen} />
      </header>
      {workflow.commit_message && <p dir="auto">{workflow.commit_message}</p>}
      <div className="workflow-graph">
        <Graph label="Graph of the workflow" boxes={boxes} arrows={arrows} chosen={node} onSelect={onNode} />
      </div>
    </section>
  );
}

function Actions({ workflow, onOpen }: { workflow: WorkflowResponse; onOpen: (open: Open) => void }) {
  const mayEdit = useMay('WORKFLOW_EDIT');
  const { workflow_id: id, version } = workflow;
  return (
    <>
      {mayEdit && (
        <Link className="button" href={`${workflowPath(id)}/edit?v=${version}`}>
          Edit as a new version
        </Link>
      )}
      <GuardedButton permission="WORKFLOW_DEPLOY" onClick={() => onOpen('labels')}>
        Labels
      </GuardedButton>
      <GuardedButton permission="WORKFLOW_EDIT" onClick={() => onOpen('rename')}>
        Edit name and tags
      </GuardedButton>
      <GuardedButton permission="WORKFLOW_DELETE" onClick={() => onOpen('delete')}>
        Delete
      </GuardedButton>
    </>
  );
}

function CancelRun({ id, onClose }: { id: number; onClose: () => void }) {
  const refresh = useRefresh('workflow-runs', 'workflow-run', 'workflow-run-nodes');
  const cancel = async () => {
    const path = { workflow_version_execution_id: id };
    await api('POST /workflow-version-executions/{workflow_version_execution_id}/cancel', { path });
    await refresh();
  };
  return (
    <FormDialog
      title={`Cancel run ${id}?`}
      submit="Cancel the run"
      cancel="Let it go on"
      isDangerous
      onSubmit={cancel}
      onClose={onClose}
    >
      <p>Nodes that are not computed yet fail. Values that are there stay.</p>
    </FormDialog>
  );
}
