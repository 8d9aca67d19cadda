import './workflows.css';
import { useMemo, useState } from 'react';
import { api } from '../api/client';
import { useRefresh } from '../api/lists';
import type { WorkflowResponse } from '../api/schema.gen';
import { Graph } from '../graph/graph';
import { FormDialog } from '../ui/form';
import { useKeys } from '../ui/keys';
import { Back, Failure, Waiting } from '../ui/parts';
import { useTitle } from '../ui/title';
import { useUrlState } from '../ui/url-state';
import { arrowsOf, boxesOf, type NodeStates } from './graph-parts';
import { NodePanel, RunPanel } from './panels';
import { StartRun } from './start-run';
import { useNodeStates, useRun, useRuns, useVersions, useWorkflow } from './use-workflow';
import { Runs, Versions } from './versions';

/** `v` is a version, `run` the id of a run, `node` the name of a node or an input. */
const DEFAULTS = { v: '', run: '', node: '' };

type Open = 'run' | 'again' | 'cancel' | null;

/** One workflow: the graph of a version, its versions and its runs. With a run the graph shows the states of its nodes. */
export default function Workflow({ id }: { id: number }) {
  const [state, set] = useUrlState(DEFAULTS);
  const [open, setOpen] = useState<Open>(null);
  const run = useRun(state.run);
  const states = useNodeStates(state.run);
  const ran = run.data?.run;
  const shown = useWorkflow(id, ran ? String(ran.version_number) : state.v);
  const versions = useVersions(id);
  const runs = useRuns(id);
  const workflow = shown.data;
  const name = workflow?.workflow_name ?? `Workflow ${id}`;
  useTitle(name);
  useKeys({ Escape: () => set(state.node === '' ? { run: '' } : { node: '' }, { replace: true }) });
  const error = shown.error ?? run.error ?? states.error;
  const retry = () => void Promise.all([shown, run, states].map(({ refetch }) => refetch()));
  const onNode = (node: string) => set({ node }, { replace: true });
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
      <Waiting on={shown.isFetching || run.isFetching} />
      <div className="split">
        <div className="screen-body">
          {error && <Failure error={error} onRetry={retry} />}
          {workflow && (
            <>
              <Version workflow={workflow} run={state.run} states={states.data} node={state.node} onNode={onNode} />
              <Runs
                list={runs}
                shown={state.run}
                onShow={(each) => set({ run: String(each.id), v: String(each.version), node: '' })}
              />
              <Versions
                list={versions}
                shown={workflow.version}
                onShow={(v) => set({ v: String(v), run: '', node: '' })}
              />
            </>
          )}
        </div>
        {workflow && state.node !== '' && (
          <NodePanel
            workflow={workflow}
            name={state.node}
            states={states.data}
            inputs={ran?.input_variables}
            onClose={() => onNode('')}
          />
        )}
        {ran && state.node === '' && (
          <RunPanel
            run={ran}
            states={states.data}
            onNode={onNode}
            onClose={() => set({ run: '' }, { replace: true })}
            actions={
              <>
                <button className="button" disabled={!workflow} onClick={() => setOpen('again')}>
                  Run again
                </button>
                {ran.status === 'running' && (
                  <button className="button" onClick={() => setOpen('cancel')}>
                    Cancel the run
                  </button>
                )}
              </>
            }
          />
        )}
      </div>
      {workflow && (open === 'run' || open === 'again') && (
        <StartRun
          workflow={workflow}
          inputs={open === 'again' && ran ? ran.input_variables : {}}
          onClose={() => setOpen(null)}
          onStarted={(started) => {
            setOpen(null);
            set({ run: String(started), v: String(workflow.version), node: '' });
          }}
        />
      )}
      {ran && open === 'cancel' && <CancelRun id={ran.workflow_version_execution_id} onClose={() => setOpen(null)} />}
    </>
  );
}

interface VersionProps {
  workflow: WorkflowResponse;
  /** The id of the run that is shown; empty for none. */
  run: string;
  states: NodeStates | undefined;
  node: string;
  onNode: (name: string) => void;
}

function Version({ workflow, run, states, node, onNode }: VersionProps) {
  const boxes = useMemo(() => boxesOf(workflow, states), [workflow, states]);
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
      </header>
      {workflow.commit_message && <p dir="auto">{workflow.commit_message}</p>}
      <div className="workflow-graph">
        <Graph label="Graph of the workflow" boxes={boxes} arrows={arrows} chosen={node} onSelect={onNode} />
      </div>
    </section>
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
