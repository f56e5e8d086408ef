/// The numbers of `count` things in the order that `precedes` asks for; of equal ones the first stays first.
///
/// One function for all lists: a sort of each type of its own would take three to eight kilobytes of the product.
@inline(never)
package func order(of count: Int, by precedes: (Int, Int) -> Bool) -> [Int] {
  var order = Array(0..<count)
  var merged = order
  var width = 1
  while width < count {
    for start in stride(from: 0, to: count, by: 2 * width) {
      let (middle, end) = (min(start + width, count), min(start + 2 * width, count))
      var (left, right) = (start, middle)
      for place in start..<end {
        let takesLeft = left < middle && (right == end || !precedes(order[right], order[left]))
        merged[place] = order[takesLeft ? left : right]
        if takesLeft { left += 1 } else { right += 1 }
      }
    }
    swap(&order, &merged)
    width *= 2
  }
  return order
}
