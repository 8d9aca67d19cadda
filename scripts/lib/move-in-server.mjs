// Moves the data of a server with the same API. Existing data are not added again, so each part may be repeated.
import { toLogRequest, toLogSpan, toNanoseconds } from './move-in-logs.mjs';

/** Rows are read after the answer. */
const PUBLISH_PAUSE_MS = 500;
const PUBLISH_TRIES = 600;
const REQUESTS = '/api/public/v2/requests';
const TRACES = '/api/public/v2/traces';
const nameOf = (name) => encodeURIComponent(name);

/** The items of a list of numbered pages. */
async function* pagesOf(list, key, first = 1) {
  for (let page = first; ; page++) {
    const answer = await list(page);
    yield { page, items: answer[key] };
    if (answer.items?.length === 0 || answer[key].length === 0 || page >= (answer.pages ?? Infinity)) return;
  }
}

/** Moves versions and labels. Gives how many versions the other server has of each prompt, by name. */
export async function movePrompts({ from, to, progress }) {
  const listed = [];
  for await (const { items } of pagesOf((page) => from.get(`/prompt-templates?page=${page}&per_page=25`), 'items'))
    listed.push(...items);
  const known = new Map();
  // Prompts that include others come after them: rejected ones wait until the rest has been moved.
  let waiting = listed
    .map(({ id, prompt_name: name, version }) => ({ id, name, version, moved: 0 }))
    .toSorted((a, b) => a.id - b.id);
  const all = waiting;
  for (let before = Infinity; waiting.length > 0 && waiting.length < before;) {
    before = waiting.length;
    const refused = [];
    for (const prompt of waiting) {
      const error = await movePrompt(prompt, { from, to }).then(
        () => null,
        (failure) => failure,
      );
      if (error && ![400, 404, 422].includes(error.status)) throw error;
      if (error) refused.push(Object.assign(prompt, { error }));
      else known.set(prompt.name, prompt.version);
    }
    waiting = refused;
  }
  for (const { moved, there = 0 } of all) {
    progress.tally.moved('prompts', moved);
    progress.tally.there('prompts', there);
  }
  for (const { name, error, version, moved, there = 0 } of waiting) {
    // All versions may have been moved, and a label refused.
    progress.refused('prompts', `Prompt "${name}"`, error, Math.max(1, version - there - moved));
  }
  progress.say(`Prompts: ${known.size} of ${listed.length}.`);
  return known;
}

/** Counts the moved versions in `prompt`, and those that existed at the first try. */
async function movePrompt(prompt, { from, to }) {
  const { id, name, version: latest } = prompt;
  const there = (await to.find(`/prompt-templates/${nameOf(name)}?resolve_snippets=false`))?.version ?? 0;
  prompt.there ??= Math.min(there, latest);
  for (let version = there + 1; version <= latest; version++) {
    const { prompt_template, metadata, commit_message, tags, is_snippet } = await from.get(
      `/prompt-templates/${id}?version=${version}&resolve_snippets=false`,
    );
    const asked = { prompt_name: name, tags: tags ?? [], is_snippet: is_snippet ?? false };
    await to.post('/rest/prompt-templates', {
      prompt_template: asked,
      prompt_version: { prompt_template, metadata, commit_message },
    });
    prompt.moved++;
  }
  const { release_labels: wanted } = await from.get(`/prompt-templates/${id}/labels`);
  if (wanted.length === 0) return;
  const { id: copy } = await to.get(`/prompt-templates/${nameOf(name)}?resolve_snippets=false`);
  const { release_labels: present } = await to.get(`/prompt-templates/${copy}/labels`);
  for (const { release_label: label, prompt_version_number } of wanted) {
    const same = present.find((each) => each.release_label === label);
    if (!same) await to.post(`/prompts/${copy}/label`, { name: label, prompt_version_number });
    else if (same.prompt_version_number !== prompt_version_number) {
      await to.call('PATCH', `/prompt-labels/${same.release_label_id}`, JSON.stringify({ prompt_version_number }));
    }
  }
}

/** All of a server, the oldest versions first; drafts and what is being read have no number above 0. */
async function datasetsOf(server) {
  const list = [];
  const read = (page) => server.get(`/api/public/v2/datasets?page=${page}&per_page=25`);
  for await (const { items } of pagesOf(read, 'datasets')) list.push(...items);
  return list.toSorted((a, b) => a.version_number - b.version_number);
}

/** Versions become versions of a group of the same name, in their order. Drafts are left out. */
export async function moveDatasets({ from, to, progress }) {
  const there = await datasetsOf(to);
  const groups = new Map(there.map(({ dataset_group: { name, id } }) => [name, id]));
  const { tally } = progress;
  let moved = 0;
  for (const dataset of await datasetsOf(from)) {
    const { version_number: number, dataset_group: group, column_names: columns } = dataset;
    const isSame = (each) => each.dataset_group.name === group.name && each.version_number === number;
    if (number <= 0) {
      // Every group has a draft; most are empty.
      if (columns.length > 0) tally.leftOut('datasets', 'it is a draft');
    } else if (there.some(isSame)) tally.there('datasets');
    else {
      const error = await moveDataset(dataset, { from, to, groups, isSame }).then(
        () => null,
        (failure) => failure,
      );
      if (error && ![400, 413, 422].includes(error.status)) throw error;
      if (error) progress.refused('datasets', `Version ${number} of the dataset "${group.name}"`, error);
      else moved++;
    }
  }
  tally.moved('datasets', moved);
  progress.say(`Datasets: ${moved} versions were added.`);
}

/** Throws an Error with the status of the refusal, also where the rows of a version are refused after the answer. */
async function moveDataset(dataset, { from, to, groups, isSame }) {
  const { name } = dataset.dataset_group;
  if (!groups.has(name)) groups.set(name, await createGroup(to, name));
  const rows = [];
  const read = (page) => from.get(`/api/public/v2/datasets/${dataset.id}/rows?page=${page}&per_page=100`);
  for await (const { items } of pagesOf(read, 'rows')) rows.push(...items);
  const objects = rows.map((cells) =>
    Object.fromEntries(dataset.column_names.map((column, at) => [column, cells[at]?.value ?? ''])),
  );
  const file = Buffer.from(JSON.stringify(objects)).toString('base64');
  const body = { dataset_group_id: groups.get(name), file_name: 'moved.json', file_content_base64: file };
  await to.post('/api/public/v2/dataset-versions/from-file', body);
  for (let tries = 0; tries < PUBLISH_TRIES; tries++) {
    if ((await datasetsOf(to)).some(isSame)) return;
    await new Promise((done) => setTimeout(done, PUBLISH_PAUSE_MS));
  }
  throw Object.assign(new Error('it was not published under the same number within five minutes'), { status: 422 });
}

async function createGroup(to, name) {
  const { dataset_group: group } = await to.post('/api/public/v2/dataset-groups', { name });
  return group.id;
}

/** All spans, each with the log that it has. Gives false for a server without a search of traces, which keeps those to itself. */
export async function moveTraces({ from, progress, spans }, versions) {
  let cursor = progress.parts.traces ?? undefined;
  for (;;) {
    const asked = { sort_by: 'trace_start', sort_order: 'asc', limit: 25, cursor };
    const page = await from
      .post(`${TRACES}/search`, asked)
      .catch((error) => (error.status === 404 ? null : Promise.reject(error)));
    if (!page) {
      progress.say('Traces: the other server has no search of traces; its calls are moved without them.');
      return false;
    }
    for (const { trace_id: id } of page.items) {
      const { spans: list } = await from.get(`${TRACES}/${nameOf(id)}`);
      for (const span of list) await moveSpan(span, id, { from, spans, versions });
    }
    await spans.flush();
    progress.say(`Traces: ${spans.sent} spans.`, { now: !page.has_more });
    if (!page.has_more) return true;
    progress.keep('traces', (cursor = page.next_cursor));
  }
}

async function moveSpan(span, traceId, { from, spans, versions }) {
  const { name, kind, parent_id, status, attributes, events, links, request_log_id: logId } = span;
  const detail = logId ? await from.find(`${REQUESTS}/${logId}`) : null;
  const start = toNanoseconds(span.start_time);
  const copy = {
    name,
    kind,
    parent_id,
    status,
    attributes,
    events,
    links,
    context: { trace_id: traceId, span_id: span.span_id, trace_state: span.trace_state ?? '' },
    start_time: start,
    end_time: toNanoseconds(span.end_time) ?? start,
    resource: { attributes: {}, schema_url: '', ...span.resource },
    ...(detail && { log_request: toLogRequest(detail, versions) }),
  };
  await spans.add(copy, { kind: 'traces', scores: detail?.scores, what: `Span ${span.span_id} of trace ${traceId}` });
}

/** Calls that belong to no span, and all where spans were not moved. */
export async function moveLogs({ from, progress, spans, hasTraces }, versions) {
  const asked = { sort_by: 'request_start_time', sort_order: 'asc', per_page: 25 };
  const read = (page) => from.post(`${REQUESTS}/search`, { ...asked, page });
  const moved = spans.sent;
  for await (const { page, items } of pagesOf(read, 'items', progress.parts.logs ?? 1)) {
    for (const { id, span_id: span } of items) {
      if (span && hasTraces) continue;
      const detail = await from.find(`${REQUESTS}/${id}`);
      if (!detail) {
        progress.tally.leftOut('calls', 'it was deleted meanwhile');
        continue;
      }
      const row = { ...detail, log_request: toLogRequest(detail, versions) };
      await spans.add(toLogSpan(row, from.url), { kind: 'calls', scores: detail.scores, what: `Call ${id}` });
    }
    await spans.flush();
    progress.keep('logs', page);
    progress.say(`Calls: ${spans.sent - moved} without a trace.`, { now: false });
  }
  progress.say(`Calls: ${spans.sent - moved} without a trace were moved.`);
}
