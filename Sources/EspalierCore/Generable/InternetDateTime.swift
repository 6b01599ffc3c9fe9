// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

import Foundation

/// Dates and times as RFC 3339 writes them, without a formatter: the same everywhere, and exact.
enum InternetDateTime {
  /// The text in UTC; the fraction of the second is as long as it takes to give the date back. A date
  /// that is not finite, or too far away for a year, is its number of seconds.
  static func text(of date: Date) -> String {
    let time = date.timeIntervalSinceReferenceDate
    // In decimal, for a fraction in binary would not be the one that comes back.
    guard time.isFinite, abs(time) < 1e13,
      let exact = Decimal(string: "\(time)", locale: .posix)
    else { return String(time) }
    var seconds = Decimal()
    withUnsafePointer(to: exact) { NSDecimalRound(&seconds, $0, 0, .down) }
    let whole = Int(truncating: seconds as NSDecimalNumber)
    let days = (whole >= 0 ? whole : whole - 86_399) / 86_400
    let second = whole - days * 86_400
    let (year, month, day) = civil(fromDays: days + daysToReferenceDate)
    let start =
      "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
      + "T\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
    let fraction = exact - seconds
    return start + (fraction == 0 ? "" : "\(fraction)".dropFirst()) + "Z"
  }

  /// The date that a text stands for: a date and time with an offset, or a date alone, at the
  /// beginning of its day in UTC. A leap second counts as the second after. What ``text(of:)`` writes
  /// of dates that have no year is read, too.
  static func date(from text: String) -> Date? {
    if let time = Double(text), !(abs(time) < 1e13) {
      return Date(timeIntervalSinceReferenceDate: time)
    }
    guard
      let match = text.wholeMatch(
        of: #/(?<y>[+-]?\d{4,6})-(?<m>\d\d)-(?<d>\d\d)(?:[Tt ](?<time>.*))?/#),
      let year = Int(match.y), let month = Int(match.m), let day = Int(match.d),
      (1...12).contains(month), (1...length(ofMonth: month, in: year)).contains(day)
    else { return nil }
    let days = self.days(fromCivil: year, month, day) - daysToReferenceDate
    guard let time = match.time else {
      return Date(timeIntervalSinceReferenceDate: Double(days * 86_400))
    }
    guard
      let clock = time.wholeMatch(
        of: #/(\d\d):(\d\d):(\d\d)(\.\d+)?(?:[Zz]|([+-])(\d\d):(\d\d))/#),
      let hour = Int(clock.1), let minute = Int(clock.2), let second = Int(clock.3),
      hour < 24, minute < 60, second <= 60
    else { return nil }
    var offset = 0
    if let sign = clock.5, let hours = clock.6.flatMap({ Int($0) }),
      let minutes = clock.7.flatMap({ Int($0) })
    {
      guard hours < 24, minutes < 60 else { return nil }
      offset = (hours * 60 + minutes) * 60 * (sign == "-" ? -1 : 1)
    }
    let whole = days * 86_400 + hour * 3600 + minute * 60 + second - offset
    guard let fraction = clock.4 else {
      return Date(timeIntervalSinceReferenceDate: Double(whole))
    }
    let exact = Decimal(whole) + (Decimal(string: "0\(fraction)", locale: .posix) ?? 0)
    return Double(exact.description).map(Date.init(timeIntervalSinceReferenceDate:))
  }

  /// Days from 1970-01-01 to 2001-01-01.
  private static let daysToReferenceDate = 11_323

  private static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(abs(number))
    let zeros = String(repeating: "0", count: max(0, width - digits.count))
    return (number < 0 ? "-" : width == 4 && number > 9999 ? "+" : "") + zeros + digits
  }

  private static func length(ofMonth month: Int, in year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  // The proleptic Gregorian calendar in eras of 400 years that begin on the first of March.

  private static func days(fromCivil year: Int, _ month: Int, _ day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  private static func civil(fromDays days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }
}
