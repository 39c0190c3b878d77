/** Nothing but the requests of a conversation, one after the other: `agent-bare-client.mjs URL COUNT`. */
const [url = '', count = '0'] = process.argv.slice(2);
const messages = [{ role: 'user', content: 'x'.repeat(20_000) }];
for (let at = 0; at <= Number(count); at++) {
  const body = JSON.stringify({ model: 'm', stream: true, messages });
  const response = await fetch(`${url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  messages.push({ role: 'assistant', content: await response.text() });
}
