/**
 * Expensive files and tests that are part of every run, with the reason. A path means the tests of the file without the expensive ones.
 * `path > beginning of a name` means all tests whose names begin so.
 */
export const KEPT: Record<string, string> = {
  // One flow of every screen.
  'test/console/add-column.spec.ts > a column that is added > is tried on three rows': 'adding a column',
  'test/console/evaluation-flow.spec.ts > from failing calls to a better prompt > leads':
    'the flow of the first minutes',
  'test/console/evaluation-runs.spec.ts > runs over sheets > warns that the scorer': 'runs side by side',
  'test/console/feeds.spec.ts > feeds > are created from the list': 'feeds of a sheet',
  'test/console/monitors.spec.ts > monitors > are made in one sentence': 'monitors',
  'test/console/reviews.spec.ts > reviews > are created from a sheet': 'reviews by people',
  'test/console/sheet-filters.spec.ts > the rows of a sheet > are filtered to failed checks': 'filters of the grid',
  'test/console/workflows.spec.ts > workflows > shows the graph': 'workflows',
  'test/console/workflows.spec.ts > workflows > are written': 'writing workflows',
  'test/console/tools.spec.ts > tools > are created': 'writing tools',
  'test/console/skills.spec.ts > skill collections > are created': 'writing skills',
  'test/console/mcp-servers.spec.ts > MCP servers > adds a server': 'MCP servers',
  'test/console/activity.spec.ts > jobs and events > shows exports': 'the screen of jobs and events',
  'test/console/api-page.spec.ts > the page of the API > shows': 'the page of the API',
  'test/console/datasets.spec.ts > datasets > are created': 'datasets',
  'test/console/folders.spec.ts > folders > hold tables': 'folders',
  'test/console/scorecards.spec.ts > the scorecard of a sheet > is made': 'scorecards',
  'test/console/variables-and-erasure.spec.ts > environment variables and erasure > counts': 'erasing a person',
  'test/console/evaluations.spec.ts > evaluations > says what became worse': 'the screen of evaluations',
  'test/console/logs.spec.ts > the list of requests > turns ten failing calls': 'the list of requests',
  'test/console/approvals.spec.ts > approvals > are asked for': 'approvals of labels',
  'test/console/models.spec.ts > the keys of models > are added': 'the keys of models',
  'test/console/people.spec.ts > people > are invited': 'people',
  'test/console/playground.spec.ts > the playground > runs two variants': 'the playground',
  'test/console/saved-views.spec.ts > saved views > keep how': 'saved views',
  'test/console/scope.spec.ts > the origin and the environment of what is shown > is that of applications':
    'whose calls are shown',
  'test/console/reader.spec.ts > the reader of messages > distinguishes roles': 'reading messages',
  'test/console/reader.spec.ts > the reader of messages > shows Markdown': 'content of strangers as Markdown',
  'test/console/sessions.spec.ts > a session of three turns > is opened from the list': 'sessions',
  'test/console/single-sign-on.spec.ts > single sign-on > leads to the page': 'signing in at a provider',
  'test/console/prompts.spec.ts > prompts > publishes a version': 'the registry of prompts',
  'test/console/settings.spec.ts > settings > creates a key': 'the settings',
  'test/console/sheet-runs.spec.ts > what is computed in a sheet > has a plan': 'computing in a sheet',
  'test/console/sheet-typing.spec.ts > what is typed into a sheet > goes to the cell': 'typing into a sheet',
  'test/console/sheet-typing.spec.ts > what is typed into a sheet > goes behind a long text once':
    'what no editor may lose',
  'test/console/sheet.spec.ts > the cells of a sheet > are edited: Enter': 'the grid of a sheet',
  'test/console/shell.spec.ts > the console > goes anywhere from the palette': 'the frame of the console',
  'test/console/tables.spec.ts > the list of tables > creates a table from a CSV': 'the list of tables',
  'test/console/today.spec.ts > today > shows the numbers of the day': 'the first screen',
  'test/console/trends.spec.ts > trends > show calls over time': 'trends',
  'test/console/traces.spec.ts > the list of traces > adds the calls': 'the list of traces',
  'test/console/trace.spec.ts > one trace > is walked through': 'the waterfall of a trace',
  'test/console/traces.spec.ts > the list of traces > finds words': 'the list of traces',
  'test/console/unsaved.spec.ts > unsaved changes > in a form': 'forms that are left',

  // Every route.
  'test/contract/permissions.contract-spec.ts': 'every route with keys of every kind',
  "test/contract/permissions.contract-spec.ts > a route that needs a permission > is refused with 403 to a 'member'":
    'every route with a key that may do some things',
  'test/contract/bad-address.contract-spec.ts > a query parameter': 'every route with bad parameters',
  'test/contract/generated.contract-spec.ts > bodies that are spoiled': 'every route with a bad body',
  'test/contract/openapi.contract-spec.ts > the OpenAPI document > is OpenAPI':
    'the document is what clients are made from',
  'test/contract/openapi.contract-spec.ts > generators of clients > find examples': 'every example of the document',
  'test/contract/tenancy.contract-spec.ts': 'every route with the key of another workspace',
  'test/e2e/audit-entries.e2e-spec.ts > a deletion > writes an entry': 'every route that deletes',
  'test/contract/credentials.contract-spec.ts > a route > accepts': 'every route with some of all credentials',
  'test/contract/methods.contract-spec.ts': 'every path with methods it does not have',
  'test/e2e/documents.e2e-spec.ts > the examples of the document': 'every example of the document',

  // One test of every kind of fault.
  'test/faults/computation.faults-spec.ts > a computation goes on to the end, every cell once and right, > when PostgreSQL is killed':
    'PostgreSQL is killed',
  'test/faults/computation.faults-spec.ts > a computation goes on to the end, every cell once and right, > when Redis stops':
    'Redis goes away',
  'test/faults/ingestion.faults-spec.ts > keeps every acknowledged call': 'the api is killed',
  'test/faults/ingestion.faults-spec.ts > answers 503': 'ingestion without PostgreSQL',
  'test/faults/prompt-cells.faults-spec.ts > goes on after the last finished part':
    'a worker is killed between calls that cost',
  'test/e2e/live-sheets.e2e-spec.ts > continues without Redis': 'live connections without Redis',
  'test/e2e/shutdown.e2e-spec.ts > answers what it is working on': 'a process is told to end',
  'test/e2e/shutdown.e2e-spec.ts > does not start': 'a configuration that makes no sense',
  'test/e2e/code-execution.e2e-spec.ts > code in PYTHON that runs > does not keep another workspace waiting':
    'code without end beside another workspace',
  'test/embedded/secrets-key.spec.ts > with another SECRETS_KEY > main does not start':
    'a key that is not that of the data',
  'test/embedded/stopping.spec.ts > npm start': 'one start of the launcher',

  // The only tests of what they test, or the engines that all else relies on.
  'test/e2e/search-oracle.e2e-spec.ts > finds what a plain reading':
    'every state of a search against a plain reading of the documents',
  'test/documents/documents.spec.ts > commands that are pasted in order work, and answer what the page says > README.md':
    'what newcomers paste first',
  'test/documents/documents.spec.ts > commands that are pasted in order work, and answer what the page says > docs/tutorial.md':
    'what newcomers paste next',
  'test/documents/documents.spec.ts > commands that are pasted in order work, and answer what the page says > docs/how-to/trace-to-chat.md':
    'from a trace to a chat message',
  'test/e2e/engine.e2e-spec.ts > leaves every cell': 'the promise of the engine of sheets',
  'test/e2e/sheet-oracle.e2e-spec.ts > has the values': 'the promise of formulas',
  'test/e2e/text-search.e2e-spec.ts > an index > gives what it holds now': 'the promise of the index of words',
  'test/e2e/histograms.e2e-spec.ts > histograms of request logs and traces > agree with the lists':
    'the promise of histograms',
  'test/e2e/histograms.e2e-spec.ts': 'histograms',
  'test/e2e/erase-person.e2e-spec.ts > erasing a person > leaves nothing': 'the promise of erasures',
  'test/e2e/feeds.e2e-spec.ts': 'feeds of sheets',
  'test/e2e/feeds.e2e-spec.ts > a feed of requests > turns calls': 'the promise of feeds',
  'test/e2e/feeds.e2e-spec.ts > a feed that cannot go on > pauses when rows': 'feeds that stop',
  'test/e2e/feeds-oracle.e2e-spec.ts > makes the decisions': 'every decision of feeds against a model of them',
  'test/e2e/backup.e2e-spec.ts > restores every row': 'the promise of backups',
  'test/e2e/extensions.e2e-spec.ts > a package outside the server > adds column types': 'what extensions may add',
  'test/e2e/evaluate-sequence.e2e-spec.ts > the evaluation of the client for JavaScript > runs in a new table':
    'the sequence of a public client',
  'test/e2e/move-in.e2e-spec.ts > moving in from another server > brings prompts': 'moving in',
  'test/e2e/admin-command.e2e-spec.ts > creates workspaces': 'the command for administrators',
  'test/e2e/sandbox-walls.e2e-spec.ts > keeps what one workspace runs from another that spies by the proxies':
    'the wall between the code of workspaces',
  'test/e2e/custom-score.e2e-spec.ts > a score by code > in Python': 'scores by code',
  'test/e2e/tool-execution.e2e-spec.ts > the code of a tool in python > finds the variables': 'tools in Python',
  'test/e2e/people.e2e-spec.ts': 'people and their memberships',
  'test/e2e/single-sign-on.e2e-spec.ts': 'signing in at a provider',
  'test/e2e/single-sign-on-refusals.e2e-spec.ts': 'what a hostile provider may send',
  'test/e2e/scim.e2e-spec.ts': 'users and groups of a provider',
  'test/e2e/group-rules.e2e-spec.ts': 'roles by groups',
  'test/e2e/audit-chain.e2e-spec.ts': 'the chain of the audit trail',
  'test/e2e/installation-audit.e2e-spec.ts': 'the audit trail of the installation',
  'test/e2e/label-changes.e2e-spec.ts': 'approvals of labels',
  'test/e2e/trials.e2e-spec.ts': 'trials of prompts',
  'test/e2e/trial-streams.e2e-spec.ts': 'answers that are streamed',
  'test/e2e/sessions.e2e-spec.ts': 'sessions and users',
  'test/e2e/workspace-archives.e2e-spec.ts': 'archives of workspaces',
  'test/e2e/workspace-archive-attacks.e2e-spec.ts': 'archives of strangers',
  'test/e2e/workspace-deletions.e2e-spec.ts': 'deletions of workspaces',
  'test/e2e/secrets-rotation.e2e-spec.ts': 'new keys for secrets',
  'src/llm/calls/server-sent-events.spec.ts > server-sent events > are the same however':
    'streams, however they are cut',
  'test/e2e/origins.e2e-spec.ts > the origin of calls and traces > is the sheet': 'who made calls and traces',
  'test/e2e/own-calls.e2e-spec.ts > are recorded': 'own calls and reported ones',
  'test/e2e/audit-chain.e2e-spec.ts > whatever the order of commits > the chain is complete': 'the order of the chain',
  'test/e2e/group-rules.e2e-spec.ts > memberships > follow from groups': 'the promise of group rules',
  'test/e2e/identity-providers.e2e-spec.ts > passwords > are off': 'passwords beside providers',
  'test/e2e/scim-patch.e2e-spec.ts > a PATCH of a user > changes': 'the forms of PATCH',
  'test/e2e/sessions.e2e-spec.ts > random traces': 'the promise of sessions',
  'test/e2e/workspace-archives.e2e-spec.ts > a workspace that is exported': 'the promise of archives',
  'test/e2e/workspace-deletions.e2e-spec.ts > the deletion of a workspace > counts': 'the promise of deletions',
  'test/e2e/workspace-exports.e2e-spec.ts > an archive > is consistent while others write': 'exports beside writers',
  'test/e2e/worker-stop.e2e-spec.ts': 'a worker that is asked to stop',
  'test/e2e/column-types.e2e-spec.ts': 'what every column type computes',
  'test/e2e/judge-columns.e2e-spec.ts': 'columns that judge',
  'test/e2e/workflow-nodes.e2e-spec.ts': 'nodes of workflows',
  'test/e2e/workflow-runs.e2e-spec.ts': 'runs of workflows',
  'test/e2e/exports.e2e-spec.ts': 'exports',
  'test/e2e/mcp-columns.e2e-spec.ts': 'columns of MCP tools',
  'test/e2e/code-execution.e2e-spec.ts': 'code of users',
  'src/platform/sandbox/escapes.spec.ts > PYTHON > finds': 'escapes are found where there are any',
  'src/platform/sandbox/escapes.spec.ts > PYTHON > does not reach or use up a shell': 'escapes to the machine',
  'src/platform/sandbox/escapes.spec.ts > PYTHON > leaves nothing behind: how classes': 'escapes to the next call',
  'src/platform/sandbox/escapes.spec.ts > JAVASCRIPT > does not reach or use up an endless loop, ': 'code without end',
  'test/e2e/loop-columns.e2e-spec.ts': 'columns that loop',
  'test/e2e/model-providers.e2e-spec.ts': 'every vendor of models',
  'test/e2e/mutation-races.e2e-spec.ts > create a sheet > ': 'sheets that are created at the same time',
  'test/e2e/mutation-races.e2e-spec.ts > delete a sheet > ': 'sheets that are deleted meanwhile',
  'test/e2e/mutation-races.e2e-spec.ts > edit cells > ': 'cells that are edited at the same time',
  'test/e2e/recalculation.e2e-spec.ts': 'recalculating',
  'test/e2e/regressions.e2e-spec.ts': 'searches for regressions',
  'test/e2e/regressions.e2e-spec.ts > a search in the versions of a sheet > finds a fall':
    'what a search for regressions finds',
  'test/e2e/endpoint-columns.e2e-spec.ts': 'columns that call endpoints',
  'test/e2e/exports.e2e-spec.ts > an export of request logs > carries a message of 10 MB': 'messages of 10 MB',
  'test/e2e/histograms.e2e-spec.ts > histograms of request logs and traces > are the same while everything':
    'sums of hours after an upgrade',
  'test/e2e/many-cells.e2e-spec.ts > five thousand cells > are one version': 'large writes of cells',
  'test/e2e/mcp-columns.e2e-spec.ts > a cell of a tool > is': 'columns of MCP tools',
  'test/e2e/mcp-columns.e2e-spec.ts > a server > that does not exist': 'columns of an MCP server that is gone',
  'test/e2e/operation-budgets.e2e-spec.ts > an operation with max_cost > shares': 'one budget of several processes',
  'test/e2e/prompt-columns.e2e-spec.ts': 'columns that run prompts',
  'test/e2e/prompt-versions.e2e-spec.ts > counts the calls': 'what versions of prompts cost',
  'test/e2e/report-runs.e2e-spec.ts': 'evaluations',
  'test/e2e/report-scores.e2e-spec.ts': 'scores of evaluations',
  'test/e2e/requests-search-text.e2e-spec.ts': 'words of requests',
  'test/e2e/simulator-columns.e2e-spec.ts': 'conversations that are simulated',
  'test/e2e/webhook-workers.e2e-spec.ts > several workers > send everything once': 'webhooks of several workers',
  'test/e2e/workflow-columns.e2e-spec.ts': 'columns that run workflows',
  'test/e2e/workflow-runs.e2e-spec.ts > a run > ends when code takes too long': 'limits of workflows',
  // Main behaviours whose test is not the cheapest of its file.
  'test/e2e/monitors.e2e-spec.ts > monitors > compare with the same hours of earlier weeks':
    'monitors compared with earlier weeks',
  'test/e2e/reviews.e2e-spec.ts > agreement > compares reviewers with each other': 'agreement of people and judges',
  'test/e2e/run-comparisons.e2e-spec.ts > the comparison of two runs > says what became worse first': 'runs compared',
  'test/e2e/feeds.e2e-spec.ts > a feed of requests > adds items from before its start': 'feeds of earlier items',
  'test/e2e/feeds.e2e-spec.ts > a feed of requests > lets old rows go': 'feeds that delete old rows',
  'test/e2e/feeds.e2e-spec.ts > a feed of requests > waits while it is paused': 'feeds that are paused',
  'test/e2e/feeds.e2e-spec.ts > a feed that cannot go on > stops at its costs of a day': 'feeds with a limit of costs',
  'test/e2e/audit-chain.e2e-spec.ts > after an erasure > a chain is intact': 'the command that verifies the chain',
  'test/e2e/secrets-rotation.e2e-spec.ts > a rotation > re-encrypts every kind of secret': 'the promise of rotations',
  'test/e2e/secrets-rotation.e2e-spec.ts > a rotation > goes on where another one was ended':
    'rotations that were ended',
  'test/e2e/dataset-refresh.e2e-spec.ts > refreshing a dataset > creates a new version': 'datasets that are refreshed',
  'test/e2e/report-refresh.e2e-spec.ts > a run that refreshes its dataset > reads the request logs':
    'runs that refresh their dataset',
  'test/e2e/report-publication.e2e-spec.ts > publishing a version of a prompt for an evaluation > runs the pipeline':
    'pipelines run by publications',
  'test/e2e/report-runs.e2e-spec.ts > the list of evaluations > filters and sorts': 'the list of evaluations',
  'test/e2e/report-scores.e2e-spec.ts > the score of a run > is that of the last column': 'the score of a run',
  'test/e2e/evaluations-in-tables.e2e-spec.ts > a run that is copied into a table > has the same columns':
    'runs copied into tables',
  'test/e2e/evaluate-sequence.e2e-spec.ts > the evaluation of the client for JavaScript > takes its cases from a sheet':
    'cases from sheets',
  'test/e2e/scim-providers.e2e-spec.ts > a user who is disabled > is out with sessions': 'users disabled by SCIM',
  'test/e2e/scim-filters.e2e-spec.ts > a filter of users > finds those who fulfil it': 'filters of SCIM',
  'test/e2e/traces-search.e2e-spec.ts > every field > finds the trace': 'every field of the search for traces',
  'test/e2e/traces-search-filters.e2e-spec.ts > filters of traces > find exactly':
    'filters of traces against a naive evaluation',
  'test/e2e/traces-search-pages.e2e-spec.ts > pages > come by number with totals, and by cursor, in every order, each trace once, with a filter for nothing':
    'pages of traces',
  'test/e2e/traces-search-projection.e2e-spec.ts > a working server > indexes traces after a notification':
    'traces indexed without a sweep',
};
