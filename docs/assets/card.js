/* Owns what a reader can do with a number: the card that says where it came from, and the copy
   buttons. Does not own the look (record.css) or the facts (the page's JSON twin). */
(() => {
  'use strict';
  const HOVER_MS = 120; // a pointer that only crosses a table opens nothing
  const LEAVE_MS = 250; // time to cross the gap between the number and its card
  const [SAID_MS, TOUCH_MS, GAP, EDGE, LEAST_HEIGHT] = [2500, 50, 6, 8, 180];
  const UNSAFE = "Measured before the source's own safety change of 6 September 2026";
  const sheet = window.matchMedia('(max-width: 600px)');
  const twins = document.querySelectorAll('link[rel="alternate"][type]');
  const twinLink = [...twins].find((link) => link.type === 'application/json');
  let twin = null; // promise of the JSON twin, made on first need
  let open = null; // {card, link, pinned}: the one card shown
  let turn = 0; // a later wish makes an earlier one, still waiting for its facts, void
  let timer = 0;
  let pressedInside = false; // a selection may start in the card and end outside it

  function make(tag, className, text = '', attributes = {}) {
    const node = Object.assign(document.createElement(tag), { className, textContent: text });
    Object.entries(attributes).forEach(([name, value]) => node.setAttribute(name, value));
    return node;
  }

  const addSaid = (button) => button.insertAdjacentElement(
    'afterend', make('span', 'copy__said', '', { 'aria-live': 'polite' }));

  function copyBySelection(text) {
    const before = document.activeElement;
    const area = document.body.appendChild(make('textarea', 'copy__area', text));
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    if (before) before.focus({ preventScroll: true });
    return done;
  }

  async function copy(button) {
    const text = button.dataset.copy;
    const write = async () => navigator.clipboard.writeText(text); // rejects where there is none
    const done = await write().then(() => true, () => copyBySelection(text));
    const said = button.nextElementSibling;
    said.textContent = done ? 'Copied' : 'Not copied: please select the text';
    window.setTimeout(() => { said.textContent = ''; }, SAID_MS);
  }

  async function fetchTwin() {
    const answer = await fetch(twinLink.href).catch(() => null);
    const data = answer && answer.ok ? await answer.json().catch(() => null) : null;
    if (data && data.numbers) return data;
    document.querySelectorAll('.num-link').forEach((link) => { // each goes on as a plain link
      link.removeAttribute('aria-haspopup');
      link.removeAttribute('aria-expanded');
    });
    return { numbers: {} };
  }

  function factList(fact) {
    const list = make('dl', 'card__facts');
    const unsaid = fact.decided_by === 'not-a-run' ? null : 'not given';
    const rows = [
      ['n', fact.n], ['Interval', fact.interval], ['Caveat', fact.caveat],
      ['Date', fact.date || unsaid], ['Model', fact.model || unsaid],
      ['Machine', fact.machine || unsaid], ['Decided by', fact.decided_by, fact.decided_note],
      ['Repeats', fact.repeats], ['Step budget', fact.steps],
      ['Cites', fact.cites], ['Source', fact.source],
    ];
    for (const [term, text, note] of rows.filter((row) => row[1] || row[1] === 0)) {
      const said = make('dd', '', text);
      if (note) said.append(make('span', 'card__note', note));
      list.append(make('dt', '', term), said);
    }
    return list;
  }

  function replayPart(replay) {
    const part = make('div', 'card__replay');
    const command = replay.command || replay.source_command;
    const head = make('h3', '', replay.command || !command ? 'Replay' : "The source's own command");
    if (replay.status) head.append(' ', make('span', 'badge', replay.status.replace(/-/g, ' ')));
    part.append(head);
    if (command) {
      const button = make('button', 'copy card__copy', 'Copy', { 'data-copy': command });
      part.append(make('code', 'card__command', command), button);
      addSaid(button);
    }
    if (replay.note) part.append(make('p', 'card__note', replay.note));
    return part;
  }

  function build(fact, root) {
    const name = { 'aria-label': `${fact.text}: ${fact.label}` };
    const card = make('div', 'card', '', { role: 'dialog', tabindex: '-1', ...name });
    const close = make('button', 'card__close', '\u00d7', { 'aria-label': 'Close' });
    const value = make('p', 'card__value', fact.text);
    value.append(' ', make('span', `badge badge--${fact.kind}`, fact.kind));
    const heading = fact.context ? `${fact.context}: ${fact.label}` : fact.label;
    card.append(close, make('h2', 'card__label', heading), value);
    if (fact.kind_note) card.append(make('p', 'card__note', fact.kind_note));
    if (fact.unsafe) card.append(make('p', 'badge badge--unsafe', UNSAFE));
    const goesTo = (path) => ({ href: new URL(root + path, twinLink.href).href });
    const links = make('p', 'card__links');
    const json = make('a', '', 'JSON ', goesTo(fact.json_href));
    json.append(make('code', '', fact.src));
    links.append(make('a', '', 'Replay entry', goesTo(fact.replay_href)), json);
    if (fact.cites_href) links.append(make('a', '', 'Work cited', goesTo(fact.cites_href)));
    card.append(replayPart(fact.replay || {}), factList(fact), links);
    return card;
  }

  /* Under the number, else over it, always inside the window. */
  function place() {
    const { card, link } = open;
    card.classList.toggle('card--sheet', sheet.matches);
    Object.assign(card.style, { left: '', top: '', maxHeight: '' });
    if (sheet.matches) return;
    const { clientWidth, clientHeight } = document.documentElement;
    const number = link.getBoundingClientRect();
    const body = document.body.getBoundingClientRect();
    const header = document.querySelector('.md-header');
    const ceiling = EDGE + Math.max(0, header ? header.getBoundingClientRect().bottom : 0);
    const below = clientHeight - EDGE - number.bottom - GAP;
    const above = number.top - GAP - ceiling;
    const under = card.offsetHeight <= below || below >= above;
    card.style.maxHeight = `${Math.max(under ? below : above, LEAST_HEIGHT)}px`;
    const wanted = under ? number.bottom + GAP : number.top - GAP - card.offsetHeight;
    const top = Math.max(ceiling, Math.min(wanted, clientHeight - EDGE - card.offsetHeight));
    const left = Math.max(EDGE, Math.min(number.left, clientWidth - EDGE - card.offsetWidth));
    Object.assign(card.style, { top: `${top - body.top}px`, left: `${left - body.left}px` });
  }

  function later(act, wait) {
    window.clearTimeout(timer);
    timer = window.setTimeout(act, wait);
  }

  function hide(giveFocusBack) {
    window.clearTimeout(timer);
    turn += 1;
    if (!open) return;
    const { card, link } = open;
    open = null;
    card.remove();
    link.setAttribute('aria-expanded', 'false');
    if (giveFocusBack) link.focus({ preventScroll: true });
  }

  async function show(link, pinned) {
    window.clearTimeout(timer);
    if (!open || open.link !== link) {
      const mine = turn += 1;
      twin = twin || fetchTwin();
      const data = await twin;
      if (mine !== turn || !(pinned || link.matches(':hover'))) return;
      const fact = new Map(Object.entries(data.numbers)).get(link.querySelector('.num').dataset.id);
      if (!fact && pinned) window.location.assign(link.href);
      if (!fact) return;
      hide(false);
      open = { card: build(fact, data.root), link, pinned };
      document.body.append(open.card);
      link.setAttribute('aria-expanded', 'true');
      place();
    }
    open.pinned = open.pinned || pinned;
    if (pinned) open.card.focus({ preventScroll: true });
  }

  /* Tab walks on from the number, as if the card stood right behind it. */
  function tabOut(event) {
    const stops = [open.card, ...open.card.querySelectorAll('a[href], button')];
    const at = stops.indexOf(document.activeElement);
    const back = event.shiftKey && at <= 1;
    if (back) event.preventDefault(); // the number itself is the stop before the card
    if (back || (!event.shiftKey && at === stops.length - 1)) hide(true);
  }

  const closest = (node, query) => (node instanceof Element ? node.closest(query) : null);
  const numberAt = (node) => closest(node, '.num-link[aria-haspopup]');
  const inCard = (node) => Boolean(open && open.card.contains(node));

  function onClick(event) {
    const button = closest(event.target, 'button.copy[data-copy]');
    if (button) copy(button);
    if (closest(event.target, '.card__close')) hide(true);
    const link = numberAt(event.target);
    const modified = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
    if (!link || event.button !== 0 || modified) return;
    event.preventDefault();
    if (open && open.link === link && open.pinned) hide(true);
    else show(link, true);
  }

  function onKey(event) {
    if (event.key === 'Escape') hide(open && open.pinned);
    else if (event.key === 'Tab' && inCard(document.activeElement)) tabOut(event);
    else if (event.key === ' ' && numberAt(event.target)) {
      event.preventDefault();
      if (!event.repeat) show(numberAt(event.target), true);
    }
  }

  function onRelease({ pointerType, target }) {
    if (!open || pressedInside || inCard(target) || open.link.contains(target)) return;
    const { link, pinned } = open;
    const back = pinned && !closest(target, 'a, button, input, select, textarea, summary, label');
    hide(back);
    if (!back || pointerType !== 'touch') return; // a touch moves the focus once more, later
    window.setTimeout(() => open || link.focus({ preventScroll: true }), TOUCH_MS);
  }

  function onOver({ pointerType, target }) {
    const link = numberAt(target);
    if (pointerType !== 'mouse') return;
    if (inCard(target) || (link && open && open.link === link)) window.clearTimeout(timer);
    else if (link && !sheet.matches && !(open && open.pinned)) later(() => show(link), HOVER_MS);
  }

  function onOut({ pointerType, target, relatedTarget }) {
    const from = numberAt(target) || (inCard(target) && open.card);
    if (pointerType !== 'mouse' || !from || from.contains(relatedTarget)) return;
    later(() => open && !open.pinned && hide(false), LEAVE_MS);
  }

  function start() {
    twins.forEach((link) => { link.rel = 'alternate'; });
    document.querySelectorAll('button.copy[data-copy]').forEach(addSaid);
    document.addEventListener('click', onClick);
    if (!twinLink || window.location.protocol === 'file:') return;
    document.querySelectorAll('.num-link').forEach((link) => {
      link.setAttribute('aria-haspopup', 'dialog');
      link.setAttribute('aria-expanded', 'false');
    });
    document.addEventListener('keydown', onKey);
    document.addEventListener('pointerdown', ({ target }) => {
      pressedInside = inCard(target);
      if (pressedInside) open.pinned = true;
    });
    document.addEventListener('pointerup', onRelease);
    document.addEventListener('pointerover', onOver);
    document.addEventListener('pointerout', onOut);
    window.addEventListener('resize', () => open && place());
    document.addEventListener('scroll', ({ target }) => { // a table that scrolls, not the page
      if (open && target !== document && !inCard(target)) place();
    }, { capture: true, passive: true });
  }

  /* When the page is ready, the theme takes every plain "alternate" for a translation and asks for
     a sitemap beside it; another word next to it, until then, spares the reader those errors. */
  twins.forEach((link) => { link.rel = 'alternate twin'; });
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', start);
  else start();
})();
