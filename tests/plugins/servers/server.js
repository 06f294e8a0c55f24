// server.js: answers each line of JSON with one: the least that a server over stdio does.
require('readline').createInterface({input: process.stdin}).on('line', (line) => {
  console.log(JSON.stringify({echo: JSON.parse(line), by: 'node'}));
});
