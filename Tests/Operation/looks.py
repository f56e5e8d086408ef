"""What an eye and a screen reader need of a page, asked of the page itself: an expression that gives what is wrong, as a list of sentences."""

LOOKS = r'''(() => {
  const wrong = [];
  const shown = (element) => element.checkVisibility({opacityProperty: true, visibilityProperty: true}) && !element.closest('#watermark, .unseen, .skip');
  const parse = (text) => {
    const numbers = text.match(/[\d.]+/g).map(Number);
    return numbers.length < 4 ? [...numbers, 1] : numbers;
  };
  const over = (above, below) => [0, 1, 2].map((i) => above[i] * above[3] + below[i] * (1 - above[3])).concat(1);
  const ground = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) layers.push(parse(getComputedStyle(at).backgroundColor));
    return layers.reverse().reduce((below, above) => over(above, below), [255, 255, 255, 1]);
  };
  const light = (colour) => {
    const [r, g, b] = colour.slice(0, 3).map((v) => v / 255).map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = words.nextNode(); node; node = words.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || !shown(element) || element.closest('script, style, select')) continue;
    const style = getComputedStyle(element);
    const size = parseFloat(style.fontSize);
    const ink = parse(element instanceof SVGElement ? style.fill : style.color);
    const ratio = contrast(over(ink, ground(element)), ground(element));
    if (size < 12) wrong.push(`"${node.data.trim()}" has ${size} px`);
    if (ratio < 4.5) wrong.push(`"${node.data.trim()}" has a contrast of ${ratio.toFixed(2)}`);
  }
  for (const control of document.querySelectorAll('button, input, select, summary, a')) {
    if (!shown(control)) continue;
    const name = control.getAttribute('aria-label') || control.labels?.[0]?.textContent.trim() || control.textContent.trim();
    if (!name) wrong.push(`${control.outerHTML.slice(0, 80)} has no name`);
    const {width, height} = control.getBoundingClientRect();
    if (width > 0 && Math.min(width, height) < 24) wrong.push(`"${name}" is ${width.toFixed(0)} x ${height.toFixed(0)} px: no target for a thumb`);
  }
  for (const picture of document.querySelectorAll('svg')) {
    if (!picture.closest('[aria-hidden="true"]') && !picture.getAttribute('aria-label')) wrong.push(`a picture has neither a name nor is hidden: ${picture.outerHTML.slice(0, 80)}`);
  }
  for (const region of document.querySelectorAll('section, table')) {
    if (region.localName === 'section' && !region.ariaLabel && !document.getElementById(region.getAttribute('aria-labelledby'))) wrong.push('a section has no heading');
  }
  if (document.documentElement.scrollWidth > innerWidth) wrong.push(`the page is ${document.documentElement.scrollWidth} px wide`);
  for (const card of document.querySelectorAll('.pump')) {
    for (const part of card.children) {
      if (!part.hidden && part.getBoundingClientRect().bottom > card.getBoundingClientRect().bottom + 0.5) wrong.push(`"${card.innerText}" is cut off`);
      if (part.scrollHeight > part.clientHeight + 3 && part.localName === 'span') wrong.push(`"${part.textContent}" is cut off`);
    }
  }
  return wrong;
})()'''
