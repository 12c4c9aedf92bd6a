// comment.js PAGE FOLDER: makes the pictures of a merge request (merge-request.png) and of its comment alone (plan-comment.png). The first
// fold is open, and diffs have the colours that forges give them.
'use strict';

const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const puppeteer = require('puppeteer-core');

async function main([page, folder]) {
  const browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', headless: true, args: ['--no-sandbox', '--disable-gpu', '--hide-scrollbars'] });
  try {
    const tab = await browser.newPage();
    await tab.setViewport({ width: 892, height: 2000 });
    await tab.setContent(readFileSync(page, 'utf8'));
    const height = await tab.evaluate(() => {
      document.querySelector('details').open = true;
      for (const code of document.querySelectorAll('code.language-diff')) {
        code.replaceChildren(...code.textContent.trimEnd().split('\n').map(text => {
          const line = document.createElement('span');
          line.className = { '+': 'new', '-': 'old' }[text[0]] || 'at';
          line.textContent = text;
          return line;
        }));
      }
      return Math.ceil(document.body.getBoundingClientRect().height);
    });
    await tab.screenshot({ path: join(folder, 'merge-request.png'), clip: { x: 0, y: 0, width: 892, height } });
    await (await tab.$('.note')).screenshot({ path: join(folder, 'plan-comment.png') });
  } finally { await browser.close(); }
}

main(process.argv.slice(2)).catch(e => { console.error(e); process.exit(1); });
