// dom.js: makes elements, and formats times and sizes.
// Invariant: untrusted text becomes a text node, never markup; its invisible characters are shown as escapes.

// The server escapes these characters already; this is a second check.
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
const ESCAPED = /(\\(?:u\{[0-9a-f]+\}|x[0-9a-f]{2}|[nrt0abfve]))/iu;

export const byId = (id) => document.getElementById(id);

export function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === 'onclick') node.addEventListener('click', value);
    else if (value !== false && value !== undefined) node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children);
  return node;
}

export function plain(text) {
  return String(text).replace(UNSEEN, (each) => `\\u{${each.codePointAt(0).toString(16)}}`);
}

// An element that shows untrusted text, with escapes highlighted.
export function foreign(tag, name, text) {
  const node = make(tag, {class: `foreign ${name}`, dir: 'ltr'});
  for (const [i, part] of plain(text).split(ESCAPED).entries())
    if (part) node.append(i % 2 ? make('span', {class: 'odd'}, part) : part);
  return node;
}

export function clock(ms) {
  return new Date(ms).toLocaleTimeString([], {hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false});
}

export function age(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min`;
  if (whole < 86400) return `${Math.floor(whole / 3600)} h`;
  return `${Math.floor(whole / 86400)} d`;
}

// An age that tick() updates; `since` in seconds.
export function aging(since, before = '') {
  return make('span', {'data-since': since, 'data-before': before}, before + age(Date.now() / 1000 - since));
}

export function tick() {
  for (const node of document.querySelectorAll('[data-since]'))
    node.textContent = node.dataset.before + age(Date.now() / 1000 - Number(node.dataset.since));
}

export function size(bytes) {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let amount = bytes;
  let unit = 0;
  for (; amount >= 1000 && unit < units.length - 1; ++unit) amount /= 1000;
  return `${unit ? amount.toFixed(1) : amount} ${units[unit]}`;
}

export function count(node, number) {
  node.hidden = number === 0;
  node.textContent = number.toLocaleString();
}

export function toast(text, kind = '') {
  const node = make('p', {class: `toast ${kind}`}, plain(text));
  byId('toasts').append(node);
  while (byId('toasts').children.length > 3) byId('toasts').firstChild.remove();
  setTimeout(() => node.remove(), 6000);
}
