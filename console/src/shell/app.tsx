import { lazy, useEffect, useState } from 'react';
import { Route, Switch, useLocation, useRoute } from 'wouter';
import { useLiveConnection } from '../api/live';
import { identityOf, useSession } from '../api/session';
import { idInPath } from '../ui/address';
import { Dialog } from '../ui/dialog';
import { useKeys } from '../ui/keys';
import { Failure, Note, Waiting } from '../ui/parts';
import { Question } from '../ui/question';
import { forgetKept } from '../ui/unsaved';
import { WhenLoaded } from '../ui/when-loaded';
import { Help } from './help';
import { Join, SetPassword, SignInByLink, useToken } from './links';
import { Palette } from './palette';
import { SCREENS } from './places';
import { useInScope } from './scope';
import { Rail } from './rail';
import { SessionContext } from './session-context';
import { SignIn } from './sign-in';
import { SignInFailed } from './sign-in-failed';

// Each screen is a file of its own, loaded when it is first opened.
const Today = lazy(() => import('../today/today'));
const Traces = lazy(() => import('../traces/traces'));
const Logs = lazy(() => import('../logs/logs'));
const Sessions = lazy(() => import('../sessions/sessions'));
const Session = lazy(() => import('../sessions/session'));
const Trends = lazy(() => import('../trends/trends'));
const Monitors = lazy(() => import('../monitors/monitors'));
const Users = lazy(() => import('../sessions/users'));
const User = lazy(() => import('../sessions/user'));
const Tables = lazy(() => import('../tables/tables'));
const FirstSheet = lazy(() => import('../tables/first-sheet'));
const Datasets = lazy(() => import('../datasets/datasets'));
const Dataset = lazy(() => import('../datasets/dataset'));
const Sheet = lazy(() => import('../sheet/sheet'));
const Trace = lazy(() => import('../trace/trace'));
const Prompts = lazy(() => import('../prompts/prompts'));
const Prompt = lazy(() => import('../prompts/prompt'));
const Playground = lazy(() => import('../playground/playground'));
const Evaluations = lazy(() => import('../evaluations/evaluations'));
const Evaluation = lazy(() => import('../evaluations/evaluation'));
const NewEvaluation = lazy(() => import('../evaluations/wizard'));
const EvaluationRuns = lazy(() => import('../evaluations/runs'));
const Reviews = lazy(() => import('../reviews/reviews'));
const Review = lazy(() => import('../reviews/review'));
const Workflows = lazy(() => import('../workflows/workflows'));
const Workflow = lazy(() => import('../workflows/workflow'));
const WorkflowEditor = lazy(() => import('../workflows/editor/editor'));
const Tools = lazy(() => import('../tools/tools'));
const Tool = lazy(() => import('../tools/tool'));
const Skills = lazy(() => import('../skills/skills'));
const Skill = lazy(() => import('../skills/skill'));
const Activity = lazy(() => import('../activity/activity'));
const Settings = lazy(() => import('../settings/settings'));

/** Signing in keeps the URL. When a session ends the screens also stay, with the typed text. */
export function App() {
  return (
    <>
      <Page />
      <Question />
    </>
  );
}

function Page() {
  const token = useToken();
  const { data: session, error, isPending, refetch } = useSession();
  const [isJoining] = useRoute('/join');
  const [isSettingPassword] = useRoute('/password');
  const [isByLink] = useRoute('/sign-in-link');
  const [hasFailed] = useRoute('/sign-in-failed');
  if (isJoining) return <Join token={token} key={token} />;
  if (isSettingPassword) return <SetPassword token={token} key={token} />;
  if (isByLink) return <SignInByLink token={token} key={token} />;
  if (hasFailed && session !== undefined) return <SignInFailed session={session} />;
  if (session) return <Signed session={session} key={identityOf(session)} />;
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  return isPending ? <Waiting on /> : <SignIn />;
}

type Open = 'palette' | 'help' | null;

function Signed({ session }: { session: NonNullable<ReturnType<typeof useSession>['data']> }) {
  useLiveConnection(!session.isOver);
  useEffect(() => forgetKept, []);
  const [open, setOpen] = useState<Open>(null);
  const [isNarrow, setNarrow] = useState(() => localStorage.getItem('rail') === 'narrow');
  const [, navigate] = useLocation();
  const inScope = useInScope();
  const toggleRail = () => {
    localStorage.setItem('rail', isNarrow ? 'wide' : 'narrow');
    setNarrow(!isNarrow);
  };
  useKeys({
    'ctrl+k': () => setOpen('palette'),
    '?': () => setOpen('help'),
    '[': toggleRail,
    ...Object.fromEntries(SCREENS.map((screen) => [screen.keys, () => navigate(inScope(screen))])),
  });
  return (
    <SessionContext value={session}>
      <div className={isNarrow ? 'shell narrow' : 'shell'}>
        <Rail onSearch={() => setOpen('palette')} onHelp={() => setOpen('help')} onNarrow={toggleRail} />
        <main className="screen">
          <Screens />
        </main>
      </div>
      {open === 'palette' && <Palette onClose={() => setOpen(null)} />}
      {open === 'help' && <Help onClose={() => setOpen(null)} />}
      {session.isOver && (
        <Dialog label="Sign in" className="over" onClose={() => undefined}>
          <SignIn isAgain />
        </Dialog>
      )}
    </SessionContext>
  );
}

function Screens() {
  const [path] = useLocation();
  return (
    <WhenLoaded resetKeys={[path]} isScreen>
      <Switch>
        <Route path="/" component={Today} />
        <Route path="/traces" component={Traces} />
        <Route path="/logs" component={Logs} />
        <Route path="/traces/:id">{({ id }) => <Trace id={idInPath()} key={id} />}</Route>
        <Route path="/conversations" component={Sessions} />
        <Route path="/conversations/:id">{({ id }) => <Session key={id} />}</Route>
        <Route path="/trends" component={Trends} />
        <Route path="/monitors" component={Monitors} />
        <Route path="/users" component={Users} />
        <Route path="/users/:id">{({ id }) => <User key={id} />}</Route>
        <Route path="/prompts" component={Prompts} />
        <Route path="/prompts/:id">{({ id }) => <Prompt id={idInPath()} key={id} />}</Route>
        <Route path="/playground" component={Playground} />
        <Route path="/evaluations" component={Evaluations} />
        <Route path="/evaluations/new" component={NewEvaluation} />
        <Route path="/evaluations/runs" component={EvaluationRuns} />
        <Route path="/evaluations/:id">{({ id }) => <Evaluation id={Number(id)} key={id} />}</Route>
        <Route path="/reviews" component={Reviews} />
        <Route path="/reviews/:id">{({ id }) => <Review id={idInPath()} key={id} />}</Route>
        <Route path="/workflows" component={Workflows} />
        <Route path="/workflows/new">
          <WorkflowEditor id={null} />
        </Route>
        <Route path="/workflows/:id/edit">{({ id }) => <WorkflowEditor id={Number(id)} key={id} />}</Route>
        <Route path="/workflows/:id">{({ id }) => <Workflow id={Number(id)} key={id} />}</Route>
        <Route path="/tools" component={Tools} />
        <Route path="/tools/:id">{({ id }) => <Tool id={idInPath()} key={id} />}</Route>
        <Route path="/skills" component={Skills} />
        <Route path="/skills/:id">{({ id }) => <Skill id={idInPath()} key={id} />}</Route>
        <Route path="/activity" component={Activity} />
        <Route path="/settings/:section?">{({ section }) => <Settings section={section} />}</Route>
        <Route path="/datasets" component={Datasets} />
        <Route path="/datasets/:id">{({ id }) => <Dataset id={Number(id)} key={id} />}</Route>
        <Route path="/tables" component={Tables} />
        <Route path="/tables/:table">{({ table }) => <FirstSheet id={table} key={table} />}</Route>
        <Route path="/tables/:table/:sheet">
          {({ table, sheet }) => <Sheet table={table} sheet={sheet} key={sheet} />}
        </Route>
        <Route>
          <Note title="Page not found" isScreen>
            <p>Choose one on the left, or press Ctrl K.</p>
          </Note>
        </Route>
      </Switch>
    </WhenLoaded>
  );
}
